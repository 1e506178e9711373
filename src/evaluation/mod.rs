//! Measuring a base on questions of one's own: the tables that keep them, searching for each, and what the ranks say.
//! `kb_rag_core::evaluation` makes figures of ranks; nothing here knows how a search ranks.

mod arguments;
mod compare;
mod draft;
mod evaluate;
mod expected;
mod question;
mod run;
mod saved;
mod suggest;
mod tables;

pub use compare::compare;
pub use draft::{DEFAULT_COUNT as DEFAULT_DRAFTS, draft};
pub use evaluate::{evaluate, evaluate_questions};
pub use question::{NewQuestion, add};
pub use suggest::suggest;
