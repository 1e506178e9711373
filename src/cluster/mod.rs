//! Servers that Citus connects: which node has a knowledge base. Bases stay ordinary tables of one node; Citus distributes two small
//! tables that [`setup`] makes. Where there are none, or Citus does not have them, as after a restore without Citus, a server stands
//! alone.

mod answer;
mod ask;
mod everywhere;
mod functions;
mod keys;
mod over;
mod placement;
mod reach;
mod scope;
mod setup;
mod ship;
mod state;
mod vouch;

pub use ask::unreadable;
pub use everywhere::{
    administers_elsewhere, is_base_elsewhere, of_base_or_all, on_all_nodes, on_nodes_of_agent,
};
#[cfg(any(test, feature = "pg_test"))]
pub use functions::FUNCTIONS;
pub use over::{Nodes, Question, Stop, here_or_elsewhere, here_or_over, over};
pub use placement::{forget, register, rename, require_free, unknown};
pub use scope::{groups_of, is_there, require_agent_here, require_all_here, require_names_here};
pub use setup::setup;
pub use ship::{here_or_there, here_or_vouched_there};
pub use state::{State, own_state, states};
pub use vouch::{require_vouched, vouch, vouched_process};

use std::cell::Cell;

use crate::catalog;
use crate::error::Result;
use crate::postgres::citus;
use crate::postgres::guc;
use crate::postgres::spi::{self, Access, Planning};

/// The tables in the schema kb_rag. `handle` has a row in each of its shards, by which Citus reaches the nodes.
const HANDLE: &std::ffi::CStr = c"handle";
const PLACEMENT: &std::ffi::CStr = c"placement";

/// So many rows of `handle` each node has at least: callers' statements name two of them, those of the catalog's owner another one.
const HANDLES: usize = 3;

/// Whether this session is to look for bases on other nodes. One that Citus opened for a call from there is not: the node that sent
/// the call has looked already. Roles can have their sessions look like one, so no privilege depends on it: see `vouch`.
pub fn is_joined() -> bool {
    citus::is_loaded() && is_set_up() && !citus::is_internal()
}

/// Whether Citus opened this session for a call from another node, or it looks as if.
fn is_sent() -> bool {
    citus::is_loaded() && citus::is_internal() && is_set_up()
}

thread_local! {
    /// In how many statements [`alone`] was called; None outside of it.
    static ALONE: Cell<Option<u32>> = const { Cell::new(None) };
}

/// Runs `work`, which is about the bases of this server alone: its part of what several nodes do. Code of owners that its statements
/// run calls functions as ever.
pub fn alone<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    struct Ends(Option<u32>);
    impl Drop for Ends {
        fn drop(&mut self) {
            ALONE.set(self.0);
        }
    }
    let _ends = Ends(ALONE.replace(Some(spi::statements())));
    work()
}

/// Whether a call that names no base is about those of this server.
fn is_alone() -> bool {
    !is_joined() || ALONE.get() == Some(spi::statements())
}

/// Whether Citus has the tables that [`setup`] makes.
fn is_set_up() -> bool {
    [HANDLE, PLACEMENT].into_iter().all(|name| catalog::table(name).is_some_and(citus::is_distributed))
}

/// A node: a group of Citus, whose number stays when another server takes over.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Node {
    group: i32,
    /// Citus's number of the server.
    id: i32,
    host: String,
    port: i32,
    /// Whether Citus places shards there.
    holds_shards: bool,
}

impl std::fmt::Display for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// The nodes that work, the coordinator first.
fn all() -> Result<Vec<Node>> {
    guc::with_settings(&[], || {
        spi::connect(|c| {
            c.query(include_str!("nodes.sql"), Access::Read, Planning::Generic, &[], |row| {
                Ok(Node {
                    group: row.require(1)?,
                    id: row.require(2)?,
                    host: row.require(3)?,
                    port: row.require(4)?,
                    holds_shards: row.require(5)?,
                })
            })
        })
    })
}

/// The group of this server; 0 is the coordinator.
pub fn own_group() -> Result<i32> {
    let group = guc::with_settings(&[], || {
        spi::connect(|c| {
            c.query_one(include_str!("own_group.sql"), Access::Read, &[], |row| row.require::<i32>(1))
        })
    })?;
    Ok(group.unwrap_or_default())
}

/// Whether this server is the node of a group.
pub fn is_node(group: i32) -> Result<bool> {
    Ok(citus::is_loaded() && is_set_up() && own_group()? == group)
}

/// This server as the other nodes reach it; None where it stands alone.
pub fn own_node() -> Result<Option<String>> {
    if citus::is_loaded() && is_set_up() { address(own_group()?).map(Some) } else { Ok(None) }
}

/// The node of a group as messages name it.
fn address(group: i32) -> Result<String> {
    let node = all()?.into_iter().find(|node| node.group == group);
    Ok(node.map_or_else(|| format!("group {group}, which is no node now"), |node| node.to_string()))
}
