//! What a crawl of web pages decides: which URLs are one page, which are read, what an answer means and which pages go.
//!
//! Whatever a page or a server sends is read in time linear in its size.

mod answer;
pub mod copies;
pub mod firecrawl;
pub mod github;
mod glob;
mod pattern;
mod percent;
pub mod removal;
mod robots;
mod scope;
mod url;

pub use answer::{MAX_WAIT, Verdict, verdict};
pub use pattern::{PatternFault, Patterns};
pub use percent::segment as percent_segment;
pub use robots::Robots;
pub use scope::Scope;
pub use url::{UrlFault, WebUrl};
