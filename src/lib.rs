//! kb_rag: knowledge bases inside PostgreSQL.
//!
//! This crate is the boundary to PostgreSQL. The others are in `crates`: `kb_rag_core` does chunking, ranking and fusion,
//! `kb_rag_encoder` is the sentence encoder, `kb_rag_http` an HTTP client that can be interrupted, `kb_rag_extract` the
//! program that reads files, `kb_rag_client` that of users; none of them uses pgrx.
//!
//! # Layers
//!
//! From top to bottom. A module uses only modules in lines below its own; `make lint` checks it. The modules of `postgres`
//! are layers each: of kb_rag, they use errors and settings only.
//!
//! - `api`: the SQL functions
//! - `pipeline`: the workers that embed and fetch what was queued
//! - `upkeep`: changing, repairing and adopting knowledge bases
//! - `reader`: the agent's side of a manifest's search block
//! - `evaluation`: measuring searches on questions of one's own
//! - `agent`: what chat models and agents call
//! - `document`: documents one by one: searching for them, reading, listing and deleting them
//! - `web`: pages, sites and repositories that documents are made from
//! - `attach`: users' tables that documents are made from
//! - `search`, `ingest`: searching knowledge bases, writing documents
//! - `keyword_index`: the keyword index of a base, kept in its tables
//! - `base`: knowledge bases, their settings and privileges
//! - `chunking`: the settings of chunks, and cutting a text by them
//! - `model`: embedding models
//! - `provider`: services that embed or fetch, their keys, and their grants
//! - `queue`: jobs, pauses, and starting workers
//! - `lock`: locks of tables, bases and rows without deadlocks for users, and the gate that keeps searches out
//! - `cluster`: servers that Citus connects, and which of them has a base
//! - `catalog`: kb_rag's own tables, and whether they have the library's format
//! - `extraction`: the text of files, which a program of its own reads
//! - `filter`: filters by metadata as conditions of statements
//! - `choice`: settings and arguments that are one of a few names
//! - `postgres::privilege`: privileges of the current role
//! - `postgres::expression`: conditions that users give as text
//! - `postgres::role`: acting as another role
//! - `postgres::limit`: the time limit of owners' code
//! - `postgres::deadline`: the time limit of a call
//! - `postgres::snapshot`: what statements see
//! - `postgres::trigger`: calls of triggers
//! - `postgres::vector`: pgvector's types
//! - `postgres::regclass`: tables as arguments
//! - `postgres::server`: this server, as clients name it
//! - `postgres::typed`: values of any type, from their texts
//! - `postgres::transaction`: the transaction in progress, and transactions without a client
//! - `postgres::scan`: rows of kb_rag's tables by their keys, without a statement
//! - `postgres::call`: calls of functions, to make them elsewhere
//! - `postgres::spi`: statements
//! - `postgres::citus`: tables and statements where Citus is loaded
//! - `postgres::analyze`: making the lexemes of chunks
//! - `postgres::lexemes`: the lexemes of texts and queries
//! - `postgres::tsvector`: reading lexemes
//! - `postgres::parsed`: words as PostgreSQL's parser and dictionaries give them
//! - `postgres::regconfig`: text search configurations
//! - `postgres::lookup`: PostgreSQL's caches
//! - `postgres::vacuum`: VACUUM, and the space that it found
//! - `postgres::error_context`: the context of errors
//! - `postgres::subtransaction`: subtransactions
//! - `postgres::uuid`: identifiers
//! - `postgres::tuple`: rows as PostgreSQL stores them
//! - `postgres::relation`: tables and indexes by their OIDs
//! - `postgres::lock_tag`: locks of an extension's own
//! - `postgres::timer`: PostgreSQL's timers
//! - `postgres::name`: values of name at the boundary
//! - `postgres::jsonb`: values of jsonb at the boundary
//! - `postgres::interrupt`: waiting, and cancellation
//! - `postgres::test_point`: where tests hold a process, and what limits they lower
//! - `settings`: kb_rag's settings
//! - `postgres::guc`: PostgreSQL's settings
//! - `error`: errors
//! - `postgres::boundary`: what pgrx requires of types at the boundary
//! - `postgres::procedure`: what PostgreSQL requires of a procedure
//! - `postgres::background_worker`: background workers
//! - `postgres::process`: the process of the server
//! - `backtrace`: no backtraces for clients

mod agent;
mod api;
mod attach;
mod backtrace;
mod base;
mod catalog;
mod choice;
mod chunking;
mod cluster;
mod document;
mod error;
mod evaluation;
mod extraction;
mod filter;
#[cfg(any(test, feature = "pg_test"))]
mod glue;
mod ingest;
mod keyword_index;
mod lock;
mod model;
mod pipeline;
mod postgres;
mod provider;
mod queue;
mod reader;
mod search;
mod settings;
mod upkeep;
mod web;

use pgrx::prelude::*;

pg_module_magic!();

extension_sql_file!("../sql/catalog.sql", bootstrap);
extension_sql_file!("../sql/internal.sql", name = "internal");
extension_sql_file!("../sql/pipeline.sql", name = "pipeline", requires = ["internal"]);
extension_sql_file!("../sql/providers.sql", name = "providers", requires = ["internal", kb_list_with_gate]);
extension_sql_file!("../sql/search_log.sql", name = "search_log", requires = ["internal"]);
extension_sql_file!("../sql/prompts.sql", name = "prompts", requires = ["internal"]);
extension_sql_file!("../sql/attach.sql", name = "attach", requires = ["internal"]);
extension_sql_file!("../sql/web.sql", name = "web", requires = ["internal"]);
extension_sql_file!("../sql/documents.sql", name = "documents", requires = ["internal"]);
extension_sql_file!("../sql/comments.sql", name = "comments", finalize);

/// Called by PostgreSQL when it loads the library.
#[pg_guard]
extern "C-unwind" fn _PG_init() {
    // First: the next lines may fail.
    backtrace::disable();
    settings::define();
    catalog::format::watch();
    base::watch_followed();
    ingest::watch_settings();
    if postgres::background_worker::may_register() {
        pipeline::register_launcher();
    }
}

/// What `cargo pgrx test` asks of the crate.
#[cfg(test)]
pub mod pg_test {
    /// Called once before the tests.
    pub fn setup(_options: Vec<&str>) {}

    /// The configuration of the test server.
    pub fn postgresql_conf_options() -> Vec<&'static str> {
        vec![]
    }
}
