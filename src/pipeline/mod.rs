//! The workers: they embed what triggers queued, with no transaction open while a model is called.
//!
//! `worker` is the background worker, `procedure` is CALL kb_work(): both run `work`, each with its own kind of
//! transactions (`transaction`). `backfill` reads rows of attached tables, `embed` makes the vectors for the documents
//! of some jobs, `verdict` decides what follows from a failed call. `last_act` is what a process does that is ended
//! because of an owner's code. `failed`, `status` and `retry` are for users. `counter` is a process that counts bases
//! (`count`) for `statistics`.

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

pub use count::{Counts, Statistics, count};
pub use failed::{Failed, failed};
pub use launcher::register as register_launcher;
pub use retry::retry;
pub use statistics::{Kept, kept, request};
pub use status::{Status, status};
