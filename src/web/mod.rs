//! Documents from the web: pages, sites and repositories, kept in sync.
//!
//! kb_add_url writes a [`Source`] and queues its first crawl. Workers do the rest. A crawl of a page or a site is a chain: one
//! job for the next page of the source, which queues the one after it ([`crawl::advance`]), so that a host is asked for one page
//! at a time. After the last page [`crawl::finish`] removes what is gone. Repositories and Firecrawl give all pages at once.
//!
//! What is fetched is only ever read from the catalog: every writer of a base may write its table `source`, which is shown and
//! not obeyed. The role that asked for a source must still have the right to write to the base and to use the provider at each
//! fetch.

mod access;
mod add;
mod begin;
mod copies;
mod crawl;
mod document;
mod drop;
mod fetch;
mod fetching;
mod firecrawl;
mod github;
mod host;
mod list;
mod other;
mod page;
mod schedule;
mod slow;
mod source;
mod sync;
mod usage;
mod wait;

pub use add::{DEFAULT_DEPTH, DEFAULT_INTERVAL, DEFAULT_PAGES, Request, add};
pub use begin::{Started, begin, fail_page, fail_source};
pub use drop::{drop_of_agent, drop_source};
pub use fetch::{Fetched, MAX_REQUESTS, Validators};
pub use fetching::{
    Got, Mapped, Plan, Prepared, keep_robots, known_robots, later_page, prepare, read, read_sitemap,
    redirect, store, wait_on_the_way,
};
pub use firecrawl::{RemotePart, RemotePlan, RemoteStep};
pub use github::RepositoryPlan;
pub use host::take_turn;
pub use list::{Listed, Overview, has_any, list, overview};
pub use page::{Trouble, troubles};
pub use schedule::queue_due;
pub use slow::{begin as slow_host, end as prompt_host};
pub use source::{BASIC, ContentType, held_for};
pub use sync::{refresh, sync};
pub use wait::{
    Wait, begin as pause_host, end as end_wait, let_all_try, of_base as waits, reason as reason_of_wait,
};

/// The program that sites see, where the provider does not set a user-agent. Its first part is what robots.txt calls it.
pub const USER_AGENT: &str = concat!("kb_rag/", env!("CARGO_PKG_VERSION"));
