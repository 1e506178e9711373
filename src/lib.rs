//! kb_rag: knowledge bases inside PostgreSQL.
//!
//! This crate is the boundary to PostgreSQL. `kb_rag_core` does chunking, ranking and fusion, `kb_rag_encoder` is the
//! sentence encoder, `kb_rag_http` an HTTP client that can be interrupted, `kb_rag_extract` the program that reads files; none of them knows PostgreSQL.
//!
//! # Layers
//!
//! From top to bottom. A module uses only modules in lines below its own; `make lint` checks it.
//!
//! - `api`: the SQL functions
//! - `pipeline`: the workers that embed and fetch what was queued
//! - `upkeep`: changing, repairing and adopting knowledge bases
//! - `reader`: the agent's side of a manifest's search block
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
//! - `lock`: locks taken without causing deadlocks for users
//! - `gate`: keeps searches out for the moment in which tables are replaced
//! - `catalogue`: kb_rag's own tables, and whether they have the library's format
//! - `privilege`: privileges of the current role
//! - `role`: acting as another role
//! - `limit`: the time limit of owners' code
//! - `deadline`: the time limit of a call
//! - `snapshot`, `trigger`, `vector`, `regclass`: what statements see, trigger calls, pgvector, tables as arguments
//! - `server`: this server, as clients name it
//! - `transaction`: the transaction in progress, and transactions without a client
//! - `scan`: rows of kb_rag's tables by their keys, without a statement
//! - `spi`: statements
//! - `extraction`: the text of files, which a program of its own reads
//! - `tsvector`: reading lexemes
//! - `regconfig`: text search configurations
//! - `lookup`, `subtransaction`, `uuid`: PostgreSQL's caches, subtransactions and identifiers
//! - `tuple`: rows as PostgreSQL stores them
//! - `relation`: tables and indexes by their OIDs
//! - `lock_tag`: locks of an extension's own
//! - `timer`: PostgreSQL's timers
//! - `choice`: settings and arguments that are one of a few names
//! - `name`, `jsonb`, `interrupt`: types at the boundary, cancellation
//! - `settings`: kb_rag's settings
//! - `guc`: PostgreSQL's settings
//! - `error`: errors
//! - `boundary`, `procedure`: what pgrx requires of such types, and PostgreSQL of a procedure
//! - `background_worker`, `process`: background workers, the process of the server
//! - `backtrace`: no backtraces for clients

mod agent;
mod api;
mod attach;
mod background_worker;
mod backtrace;
mod base;
mod boundary;
mod catalogue;
mod choice;
mod chunking;
mod deadline;
mod document;
mod error;
mod extraction;
mod gate;
#[cfg(any(test, feature = "pg_test"))]
mod glue;
mod guc;
mod ingest;
mod interrupt;
mod jsonb;
mod keyword_index;
mod limit;
mod lock;
mod lock_tag;
mod lookup;
mod model;
mod name;
mod pipeline;
mod privilege;
mod procedure;
mod process;
mod provider;
mod queue;
mod reader;
mod regclass;
mod regconfig;
mod relation;
mod role;
mod scan;
mod search;
mod server;
mod settings;
mod snapshot;
mod spi;
mod subtransaction;
mod timer;
mod transaction;
mod trigger;
mod tsvector;
mod tuple;
mod upkeep;
mod uuid;
mod vector;
mod web;

use pgrx::prelude::*;

pg_module_magic!();

extension_sql_file!("../sql/catalogue.sql", bootstrap);
extension_sql_file!("../sql/internal.sql", name = "internal");
extension_sql_file!("../sql/pipeline.sql", name = "pipeline", requires = ["internal"]);
extension_sql_file!("../sql/providers.sql", name = "providers", requires = ["internal", kb_list]);
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
    catalogue::format::watch();
    if background_worker::may_register() {
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
