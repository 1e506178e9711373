//! Documents one by one: searching for them, reading, listing, deleting and cutting them again, and adding what agents write.
//!
//! Reading takes the privileges of a search, and what row security hides does not exist for these functions. Writing runs as
//! kb_add does.

mod browse;
mod delete;
mod level;
mod output;
mod part;
mod read;
mod refresh;
mod remark;
mod rows;
mod scope;
mod search;
mod spread;
mod stats;

pub use browse::{DEFAULT_BROWSE_COUNT, browse};
pub use delete::{delete, delete_where};
pub use level::Level;
pub use output::add_output;
pub use part::{detail, document, part};
pub use read::{of_base, read};
pub use refresh::refresh;
pub use rows::Document;
pub use search::{FoundDocument, search, search_on};
pub use stats::stats;
