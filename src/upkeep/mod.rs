//! Changing a base in place, repairing it, and taking one over; trying a provider.
//!
//! Each change is one transaction: until it commits, searches see what was there before. Writers to the base wait for `configure`
//! and `reindex`, not for `reconcile`.

mod adopt;
mod change;
mod collection;
mod configure;
mod estimate;
mod import;
mod ivfflat;
mod late;
mod lexemes;
mod missed;
mod reconcile;
mod reindex;
mod replace;
mod summaries;
mod trial;
mod vectors;

pub use adopt::adopt;
pub use change::{Progress as ChangeProgress, progress as change_progress};
pub use change::{finish as finish_change, restart as restart_change};
pub use configure::configure;
pub use estimate::estimate;
pub use import::import;
pub use ivfflat::{Progress as IndexProgress, build as build_ivfflat};
pub use lexemes::{Progress as LexemeProgress, rewrite_next as rewrite_lexemes};
pub use missed::{Progress as RepairProgress, queue_missed, repair_missed};
pub use reconcile::reconcile;
pub use reindex::reindex;
pub use summaries::summary_instructions;
pub use trial::try_provider;
