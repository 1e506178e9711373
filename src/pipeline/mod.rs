//! The workers: they embed what triggers queued, with no transaction open while a model is called.
//!
//! `worker` is the background worker, `procedure` is CALL kb_work(): both run `work`, each with its own kind of
//! transactions (`transaction`). `backfill` reads rows of attached tables, `index` builds IVFFlat indexes, `merge` and `compact` keep the keyword index small, `lexemes` rewrites lexemes in
//! another format, `repair` indexes what was written while library and SQL had different formats, `embed` makes the
//! vectors for the documents of some jobs, as `kb_rag_core::embed_policy` decides. `last_act` is what a process does that is ended because of an
//! owner's code. `failed`, `status` and `retry` are for users. `counter` is a process that counts bases
//! (`count`) for `statistics`.

mod backfill;
mod chunks;
mod compact;
mod count;
mod counter;
mod crawl;
mod embed;
mod failed;
mod index;
mod last_act;
mod launcher;
mod lexemes;
mod merge;
mod procedure;
mod progress;
mod repair;
mod retry;
mod statistics;
mod status;
mod summary;
mod transaction;
mod work;
mod worker;

pub use failed::{Failed, failed};
pub use launcher::register as register_launcher;
pub use retry::retry;
pub use status::{Status, status};

/// The default of max_seconds of CALL kb_work().
pub const DEFAULT_SECONDS: f64 = 60.0;
