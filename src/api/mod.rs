//! The SQL functions: each converts its arguments, calls the work, and converts the result. Their COMMENTs are in
//! sql/comments.sql. Every argument is an Option, so that none of them is STRICT: NULL means the default of an argument
//! that has one, and otherwise gets its own error. The defaults in SQL are those in Rust; `glue` compares them.

mod agent;
mod argument;
mod attach;
mod base;
mod cluster;
mod document;
mod evaluation;
mod expose;
mod file;
mod ingest;
mod lexeme;
mod logged;
mod part;
mod pipeline;
mod provider;
mod released;
mod released_agent;
mod released_text;
mod released_upkeep;
mod rights;
mod search;
mod status;
mod text;
mod tool;
mod upkeep;
mod web;
