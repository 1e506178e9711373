//! The keys of `kb_rag.handle`, by which statements reach nodes: each is in a shard of its own, and Citus runs a statement where the
//! shard is. Citus may move the shard before it plans the statement, so a statement also names the node: any other gives no row.

use std::cell::RefCell;

use pgrx::pg_sys;

use super::{HANDLE, HANDLES};
use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::lookup::accept_changes;
use crate::postgres::spi::{self, Access, Arg, Planning};
use crate::postgres::test_point::test_point;

/// So often a statement is repeated because shards were moved meanwhile.
const MAX_ATTEMPTS: usize = 20;

/// The shards of `kb_rag.handle`, each with its key.
type Shards = Vec<(i64, i32)>;

thread_local! {
    /// They belong to the table of this OID.
    static SHARDS: RefCell<Option<(pg_sys::Oid, Shards)>> = const { RefCell::new(None) };
}

/// The shards of the handles, which stay while the table does: nodes get and lose shards, but no shard another key.
fn shards() -> Result<Shards> {
    let table = catalog::table(HANDLE).unwrap_or(pg_sys::InvalidOid);
    let known = SHARDS
        .with_borrow(|known| known.as_ref().filter(|(of, _)| *of == table).map(|(_, shards)| shards.clone()));
    if let Some(known) = known {
        return Ok(known);
    }
    let shards = guc::with_settings(&[], || {
        spi::connect(|c| {
            c.query(include_str!("keys.sql"), Access::Read, Planning::Custom, &[], |row| {
                Ok((row.require::<i64>(1)?, row.require::<i32>(2)?))
            })
        })
    })?;
    SHARDS.set(Some((table, shards.clone())));
    Ok(shards)
}

/// The keys whose shards are on the node of a group.
pub(super) fn keys_of(group: i32) -> Result<Vec<i32>> {
    let shards = shards()?;
    let numbers: Vec<i64> = shards.iter().map(|(shard, _)| *shard).collect();
    let args = || [Arg::new(group), Arg::new(numbers)];
    let there = guc::with_settings(&[], || {
        spi::connect(|c| {
            let sql = include_str!("shards_of.sql");
            // Citus places shards as they are now, whatever snapshot the transaction keeps.
            c.query(sql, Access::Latest, Planning::Generic, &args(), |row| row.require::<i64>(1))
        })
    })?;
    Ok(shards.iter().filter(|(shard, _)| there.contains(shard)).map(|(_, key)| *key).collect())
}

/// A key whose shard is on the node of a group; another one, if there are several, for each number. 55000 where there is none.
fn key_of(group: i32, number: usize) -> Result<i32> {
    let keys = keys_of(group)?;
    let place = number.checked_rem(keys.len()).and_then(|place| keys.get(place));
    place.copied().ok_or_else(|| few_handles(group))
}

/// The last of these keys, if there are several: no statement of a caller that writes names it.
pub(super) fn last_key_of(group: i32) -> Result<i32> {
    let keys = keys_of(group)?;
    keys.last().filter(|_| keys.len() >= HANDLES).copied().ok_or_else(|| few_handles(group))
}

fn few_handles(group: i32) -> Error {
    Error::not_ready(format!("the node of group {group} has too few rows of kb_rag.handle"))
        .hint("Run kb_cluster_setup on the coordinator.")
}

/// Keys as statements list them.
pub(super) fn listed(keys: &[i32]) -> String {
    keys.iter().map(i32::to_string).collect::<Vec<_>>().join(", ")
}

/// Nodes, each with a key.
pub(super) struct Keys {
    /// The group of the node, and the key.
    pub of: Vec<(i32, i32)>,
}

impl Keys {
    /// A key of each node of the groups, others for each number.
    pub fn of(groups: &[i32], number: usize) -> Result<Keys> {
        let of = groups.iter().map(|&group| Ok((group, key_of(group, number)?)));
        Ok(Keys { of: of.collect::<Result<_>>()? })
    }

    /// The keys alone.
    pub fn numbers(&self) -> impl Iterator<Item = i32> {
        self.of.iter().map(|(_, key)| *key)
    }

    /// The condition by which a statement about `kb_rag.handle h` reaches the nodes, and only them.
    pub fn condition(&self) -> String {
        // Citus plans a statement about one key faster.
        if let [(group, key)] = self.of.as_slice() {
            return format!("h.key = {key} AND kb_rag.is_node({group})");
        }
        let keys: Vec<i32> = self.numbers().collect();
        let nodes: String = self.of.iter().map(|(group, key)| format!(" WHEN {key} THEN {group}")).collect();
        format!("h.key IN ({}) AND kb_rag.is_node(CASE h.key{nodes} END)", listed(&keys))
    }

    /// Whether the shards of the keys are where they were.
    pub fn stay(&self) -> Result<bool> {
        for (group, key) in &self.of {
            if !keys_of(*group)?.contains(key) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Runs `work` with a key of each node of the groups, and again with other keys if it gives None, because a node gave no row. Its shard was
/// moved before Citus planned the statement, or the snapshot of the transaction there is older than the shard.
pub(super) fn with_keys<T>(groups: &[i32], work: impl Fn(&Keys) -> Result<Option<T>>) -> Result<T> {
    for attempt in 0..MAX_ATTEMPTS {
        let keys = Keys::of(groups, attempt)?;
        test_point("cluster.keys_chosen");
        if let Some(done) = work(&keys)? {
            return Ok(done);
        }
        accept_changes();
    }
    Err(unreached())
}

/// 55000: a node gave no row.
pub(super) fn unreached() -> Error {
    Error::not_ready("shards of kb_rag.handle were moved while nodes were called")
        .hint("Repeat the call in a new transaction.")
}
