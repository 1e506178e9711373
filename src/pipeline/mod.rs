//! The workers: what triggers queued is embedded here, with no transaction open while a model is called.
//!
//! `worker` is the background worker, `procedure` is CALL kb_work(): both run `work`, each with transactions of its own
//! kind (`transaction`). `backfill` reads rows of attached tables, `embed` brings the documents of some jobs to their
//! vectors, `verdict` says what follows from a refusal, `last_act` what a process leaves behind that code of an owner ends,
//! `failed`, `status` and `retry` are what people see and do. `counter` is a process that counts bases (`count`) for
//! `statistics`.

mod backfill;
mod chunks;
mod count;
mod counter;
mod embed;
mod failed;
mod last_act;
mod launcher;
mod pass;
mod procedure;
mod retry;
mod statistics;
mod status;
mod transaction;
mod verdict;
mod work;
mod worker;

pub use count::{Statistics, count};
pub use failed::{Failed, failed};
pub use launcher::register as register_launcher;
pub use retry::retry;
pub use statistics::{Kept, kept, request};
pub use status::status;
