//! Chunking, ranking, fusion, the protocols of embedding providers and the policy of the workers for kb_rag: pure
//! functions and state machines, no PostgreSQL, no environment, clock or randomness.

#![forbid(unsafe_code)]

pub mod agent;
pub mod analyzer;
pub mod bigram;
pub mod blob;
pub mod bm25;
pub mod characters;
pub mod chunk;
pub mod context;
pub mod conversation;
pub mod cover_density;
pub mod embed_policy;
pub mod evaluation;
pub mod extract_places;
pub mod extract_protocol;
pub mod fake;
pub mod file_kind;
pub mod filter;
pub mod frequency_rank;
pub mod fusion;
pub mod given_vector;
pub mod informative;
pub mod ivfflat;
pub mod language;
pub mod legibility;
pub mod lexeme;
pub mod manifest;
pub mod model_name;
pub mod multipart;
pub mod near;
pub mod opening;
pub mod part;
pub mod plural;
pub mod provider;
pub mod qualified_name;
pub mod recent;
pub mod recut;
pub mod relevance;
pub mod rewrite;
pub mod search;
pub mod segment;
pub mod slug;
pub mod sql_text;
pub mod statement;
pub mod summary;
pub mod tool;
pub mod top;
pub mod tsvector;
pub mod url_template;
pub mod version;
pub mod visible;
pub mod web;
pub mod websearch;
pub mod worker_slots;
