//! User tables whose rows become documents: kb_attach, its triggers, and reading a whole table.
//!
//! Two roles do the work, and neither runs code of the other. Rows are read as the owner of the table, since casts and
//! output functions may be that role's code. Documents are written as the owner of the base. The catalog says which
//! columns are read; only kb_attach writes it. A trigger reports the keys that a statement touched; documents are made from
//! the present rows with these keys.

mod adopt;
mod attachment;
mod backfill;
mod change;
mod column;
mod compare;
mod condition;
mod detach;
mod document;
mod embedding;
mod follow;
mod json;
mod keep;
mod key;
mod mistakes;
mod options;
mod overview;
mod reconcile;
mod row;
mod select;
mod table;
mod text;
mod trigger;
mod warned;
mod write;

pub use adopt::adopt;
pub use attachment::is_attached;
pub use backfill::{BATCH, Progress, backfill_batch, note_failure, read_again};
pub use condition::evaluate as condition_holds;
pub use detach::detach;
pub use json::as_jsonb;
pub use overview::{Overview, followed_table, has_sources, has_vector_of_row, overview};
pub use reconcile::{correct_triggers, hold, reconcile};
pub use write::{DEFAULT_SOURCE_TYPE, Request, attach};
