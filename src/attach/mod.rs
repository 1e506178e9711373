//! Tables of users that documents are made from: kb_attach, its triggers, and reading a table as a whole.
//!
//! Two roles are at work and never meet: what is of a table is read as the owner of the table, for casts and output
//! functions are code of his, and documents are written as the owner of the base. Which columns are read stands in the
//! catalogue, where only kb_attach writes. A trigger says which keys a statement touched; what is written is the rows of
//! these keys as they are then.

mod adopt;
mod attachment;
mod backfill;
mod change;
mod column;
mod compare;
mod detach;
mod document;
mod key;
mod overview;
mod reconcile;
mod row;
mod select;
mod table;
mod trigger;
mod write;

pub use adopt::adopt;
pub use backfill::{backfill_batch, note_failure};
pub use detach::detach;
pub use overview::{has_sources, overview};
pub use reconcile::{correct_triggers, hold, reconcile};
pub use write::{Request, attach};
