//! Calls go to the node of the base: the call itself is made there, in the transaction and with the role of the caller. That node
//! answers as if it had been called directly.

use std::collections::HashSet;

use pgrx::Uuid;

use super::answer::Answer;
use super::functions::{Way, way};
use super::keys::{Keys, keys_of, listed, unreached, with_keys};
use super::own_group;
use super::reach::reaching;
use super::vouch::vouched;
use crate::error::Result;
use crate::postgres::call::{Call, Function};
use crate::postgres::guc;
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning, Row};
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
    let run = |c: &Connection, keys: &Keys| {
        let values_of = [("function", &name), ("arguments", &arguments), ("nodes", &keys.condition())];
        let sql = spi::render(template, &values_of.map(|(name, value)| (name, value.as_str())));
        let read = |row: &Row| {
            let is_empty: bool = row.require_named("is_empty")?;
            Ok((row.require_named::<i32>("handle")?, (!is_empty).then(|| T::row(row)).transpose()?))
        };
        let rows = reaching(|| c.query(&sql, access, Planning::Custom, &values, read))?;
        let answered: HashSet<i32> = rows.iter().map(|(key, _)| *key).collect();
        let all = answered.len() == keys.of.len();
        Ok(all.then(|| rows.into_iter().filter_map(|(_, row)| row).collect::<Vec<T::Row>>()))
    };
    guc::with_settings(&[], || {
        spi::connect(|c| {
            if !function.is_volatile {
                return with_keys(groups, |keys| run(c, keys));
            }
            let keys = commit_in_two_phases(c, groups)?;
            let rows = match keys.of.as_slice() {
                &[(group, key)] if is_vouched => vouched(c, group, key, || run(c, &keys)),
                _ => run(c, &keys),
            };
            // Other nodes may have written.
            rows?.ok_or_else(unreached)
        })
    })
}

/// Has Citus commit in two phases what the nodes of groups write from now on: it does so after a statement that could have written
/// rows of two shards. No row is one that it writes or locks, but Citus does not know. A key of each node is named; another one is
/// here, and only where this node has none, it is there too. The keys of the nodes, whose shards do not move until the transaction ends.
fn commit_in_two_phases(c: &Connection, groups: &[i32]) -> Result<Keys> {
    loop {
        let keys = Keys::of(groups, 0)?;
        let mut others = keys_of(own_group()?)?;
        if others.is_empty() {
            others = groups.first().map_or_else(|| Ok(Vec::new()), |&group| keys_of(group))?;
            others.retain(|other| !keys.numbers().any(|key| key == *other));
        }
        let named: Vec<i32> = others.first().copied().into_iter().chain(keys.numbers()).collect();
        let sql = spi::render(include_str!("prepare.sql"), &[("keys", &listed(&named))]);
        reaching(|| c.execute_planned(&sql, Planning::Custom, &[]))?;
        // The statement waits while Citus moves such a shard, which is then on another node.
        if keys.stay()? {
            return Ok(keys);
        }
    }
}

/// For each node of the groups, whether the caller administers one of its bases of an agent; None where it has none.
/// One trip, to all of them at once.
pub(super) fn administered(agent: Uuid, groups: &[i32]) -> Result<Vec<Option<bool>>> {
    guc::with_settings(&[], || {
        spi::connect(|c| {
            with_keys(groups, |keys| {
                let sql = spi::render(include_str!("administered.sql"), &[("nodes", &keys.condition())]);
                let args = [Arg::new(agent)];
                let run = || c.query(&sql, Access::Read, Planning::Custom, &args, |row| row.get::<bool>(1));
                let found = reaching(run)?;
                Ok((found.len() == groups.len()).then_some(found))
            })
        })
    })
}
