//! Calls go to the node of the base: the call itself is made there, in the transaction and with the role of the caller. That node
//! answers as if it had been called directly.

use std::cell::RefCell;

use pgrx::{Uuid, pg_sys};

use super::answer::Answer;
use super::functions::{Way, way};
use super::reach::reaching;
use super::vouch::vouched;
use super::{HANDLE, HANDLES, own_group};
use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::call::{Call, Function};
use crate::postgres::guc;
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};
use crate::postgres::transaction;

/// What `work` gives; where the bases of the call are on one other node, what the same call gives there.
pub fn here_or_there<T: Answer>(call: Call, work: impl FnOnce() -> Result<T>) -> Result<T> {
    sent(call, work, false, || Ok(()))
}

/// The same for a call that changes names of bases or the bases of agents: where the base is on another node, `work` has checked what
/// concerns all nodes. `after` runs here after a call there.
pub fn here_or_vouched_there<T: Answer>(
    call: Call,
    work: impl FnOnce() -> Result<T>,
    after: impl FnOnce() -> Result<()>,
) -> Result<T> {
    sent(call, work, true, after)
}

fn sent<T: Answer>(
    call: Call,
    work: impl FnOnce() -> Result<T>,
    is_vouched: bool,
    after: impl FnOnce() -> Result<()>,
) -> Result<T> {
    let error = match work() {
        Err(error) if error.group().is_some() => error,
        done => return done,
    };
    let function = call.function().filter(|function| way(&function.name) == Some(Way::Shipped));
    let (Some(group), Some(function)) = (error.group(), function) else { return Err(error) };
    // Citus would connect as the owner of a base whose code calls, and parallel queries send nothing.
    if role::is_restricted() || transaction::is_parallel() {
        return Err(error);
    }
    let answer = T::of_rows(ship_as::<T>(&function, &[group], is_vouched)?)?;
    after()?;
    Ok(answer)
}

/// Makes the call on the nodes of groups, on all at once; the rows of all of them. Only a function in FROM or in the list of
/// results goes there.
pub(super) fn ship<T: Answer>(function: &Function, groups: &[i32]) -> Result<Vec<T::Row>> {
    ship_as::<T>(function, groups, false)
}

fn ship_as<T: Answer>(function: &Function, groups: &[i32], is_vouched: bool) -> Result<Vec<T::Row>> {
    let name =
        format!("{}.{}", spi::quote_identifier(&function.schema), spi::quote_identifier(&function.name));
    let (names, values): (Vec<String>, Vec<Arg>) = function.arguments.iter().cloned().unzip();
    let given = |(name, number): (&String, usize)| format!("{} => ${number}", spi::quote_identifier(name));
    let arguments = names.iter().zip(1..).map(given).collect::<Vec<_>>().join(", ");
    let template =
        if function.returns_set { include_str!("ship_rows.sql") } else { include_str!("ship_value.sql") };
    let access = if function.is_volatile { Access::Write } else { Access::Read };
    guc::with_settings(&[], || {
        spi::connect(|c| {
            let keys =
                if function.is_volatile { commit_in_two_phases(c, groups) } else { first_keys(groups) }?;
            let values_of = [("function", name), ("arguments", arguments), ("keys", listed(&keys))];
            let sql =
                spi::render(template, &values_of.each_ref().map(|(name, value)| (*name, value.as_str())));
            let run = || reaching(|| c.query(&sql, access, Planning::Custom, &values, T::row));
            match (groups, keys.as_slice()) {
                (&[group], &[key]) if is_vouched => vouched(c, group, key, run),
                _ => run(),
            }
        })
    })
}

/// The shards of `kb_rag.handle`, each with its key.
type Keys = Vec<(i64, i32)>;

thread_local! {
    /// They belong to the table of this OID.
    static KEYS: RefCell<Option<(pg_sys::Oid, Keys)>> = const { RefCell::new(None) };
}

/// The keys of the handles, which stay while the table does: nodes get and lose shards, but no shard another key.
fn keys() -> Result<Keys> {
    let table = catalog::table(HANDLE).unwrap_or(pg_sys::InvalidOid);
    let known =
        KEYS.with_borrow(|keys| keys.as_ref().filter(|(of, _)| *of == table).map(|(_, keys)| keys.clone()));
    if let Some(known) = known {
        return Ok(known);
    }
    let keys = guc::with_settings(&[], || {
        spi::connect(|c| {
            c.query(include_str!("keys.sql"), Access::Read, Planning::Custom, &[], |row| {
                Ok((row.require::<i64>(1)?, row.require::<i32>(2)?))
            })
        })
    })?;
    KEYS.set(Some((table, keys.clone())));
    Ok(keys)
}

/// The keys whose shards are on the node of a group.
pub(super) fn keys_of(group: i32) -> Result<Vec<i32>> {
    let keys = keys()?;
    let shards: Vec<i64> = keys.iter().map(|(shard, _)| *shard).collect();
    let args = || [Arg::new(group), Arg::new(shards)];
    let there = guc::with_settings(&[], || {
        spi::connect(|c| {
            let sql = include_str!("shards_of.sql");
            // Citus places shards as they are now, whatever snapshot the transaction keeps.
            c.query(sql, Access::Latest, Planning::Generic, &args(), |row| row.require::<i64>(1))
        })
    })?;
    Ok(keys.iter().filter(|(shard, _)| there.contains(shard)).map(|(_, key)| *key).collect())
}

/// A key whose shard is on the node of a group. 55000 where there is none.
fn key_of(group: i32) -> Result<i32> {
    keys_of(group)?.first().copied().ok_or_else(|| few_handles(group))
}

fn few_handles(group: i32) -> Error {
    Error::not_ready(format!("the node of group {group} has too few rows of kb_rag.handle"))
        .hint("Run kb_cluster_setup on the coordinator.")
}

/// Another one, if there are several: no statement of a caller names it.
pub(super) fn last_key_of(group: i32) -> Result<i32> {
    let keys = keys_of(group)?;
    keys.last().filter(|_| keys.len() >= HANDLES).copied().ok_or_else(|| few_handles(group))
}

/// Keys as statements name them.
pub(super) fn listed(keys: &[i32]) -> String {
    keys.iter().map(i32::to_string).collect::<Vec<_>>().join(", ")
}

/// Has Citus commit in two phases what the nodes of groups write from now on: it does so after a statement that could have written
/// rows of two shards. No row is one that it writes or locks, but Citus does not know. A key of each node is named; another one is
/// here, and only where this node has none, it is there too. The keys of the nodes, whose shards do not move until the transaction ends.
fn commit_in_two_phases(c: &Connection, groups: &[i32]) -> Result<Vec<i32>> {
    loop {
        let keys = first_keys(groups)?;
        let mut others = keys_of(own_group()?)?;
        if others.is_empty() {
            others = groups.first().map_or_else(|| Ok(Vec::new()), |&group| keys_of(group))?;
            others.retain(|other| !keys.contains(other));
        }
        let named: Vec<i32> = others.first().into_iter().chain(&keys).copied().collect();
        let sql = spi::render(include_str!("prepare.sql"), &[("keys", &listed(&named))]);
        reaching(|| c.execute_planned(&sql, Planning::Custom, &[]))?;
        // The statement waits while Citus moves such a shard, which is then on another node.
        let stay = groups.iter().zip(&keys).map(|(&group, key)| Ok(keys_of(group)?.contains(key)));
        if stay.collect::<Result<Vec<bool>>>()?.into_iter().all(|stays| stays) {
            return Ok(keys);
        }
    }
}

/// A key of each node.
pub(super) fn first_keys(groups: &[i32]) -> Result<Vec<i32>> {
    groups.iter().map(|&group| key_of(group)).collect()
}

/// For each node of the groups, whether the caller administers one of its bases of an agent; None where it has none.
/// One trip, to all of them at once.
pub(super) fn administered(agent: Uuid, groups: &[i32]) -> Result<Vec<Option<bool>>> {
    let keys = first_keys(groups)?;
    let sql = spi::render(include_str!("administered.sql"), &[("keys", &listed(&keys))]);
    guc::with_settings(&[], || {
        spi::connect(|c| {
            reaching(|| {
                c.query(&sql, Access::Read, Planning::Custom, &[Arg::new(agent)], |row| row.get::<bool>(1))
            })
        })
    })
}
