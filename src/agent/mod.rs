//! For chat models and agents: text for a prompt, tools, snippets for a conversation, and the log of their searches.

mod call;
mod context;
mod log;
mod part;
mod prompt;
mod read;
mod result;
mod rewrite;
mod scope;
mod search;
mod snippets;
mod spread;
mod tools;

pub use call::call;
pub use context::{Style, context};
pub use log::{Entry, Outcome, Passage, administered_bases, expire as expire_log, unsecured_bases};
pub use part::part;
pub use prompt::{list as prompts, referred as referred_prompt, set as set_prompt};
pub use rewrite::{messages_of, query_of, question_of};
pub use search::search;
pub use snippets::snippets;
pub use tools::{ConfigFormat, Format, Which, config as tools_config, tools};
