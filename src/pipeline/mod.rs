//! The workers: what triggers queued is embedded here, with no transaction open while a model is called.
//!
//! `worker` is the background worker, `procedure` is CALL kb_work(): both run `work`, each with transactions of its own
//! kind (`transaction`). `backfill` reads rows of attached tables, `embed` brings the documents of some jobs to their
//! vectors, `verdict` says what follows from a refusal, `failed`, `status` and `retry` are what people see and do.

mod backfill;
mod chunks;
mod embed;
mod failed;
mod launcher;
mod pass;
mod procedure;
mod retry;
mod status;
mod transaction;
mod verdict;
mod work;
mod worker;

pub use failed::{Failed, failed};
pub use launcher::register as register_launcher;
pub use retry::retry;
pub use status::status;
