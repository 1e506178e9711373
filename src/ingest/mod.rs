//! Keeping `chunk` and `embedding` in step with `document`.
//!
//! `trigger` says which documents a statement touched, `sync` brings their chunks in line: what is already right keeps
//! its row and vector, the rest is written by `write` in batches. `add` is kb_add.

mod add;
mod sync;
mod trigger;
mod write;

pub use add::{Addition, add};
