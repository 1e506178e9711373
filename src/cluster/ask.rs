//! Questions to other nodes: one statement for all of them, which Citus carries to each at the same time.

use std::collections::{BTreeMap, HashMap};

use kb_rag_core::spread::{self, protocol_of};
use pgrx::Uuid;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::address;
use super::keys::{Keys, with_keys};
use super::reach::reaching;
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::role;
use crate::postgres::snapshot;
use crate::postgres::spi::{self, Access, Arg, Planning};
use crate::postgres::subtransaction;
use crate::postgres::transaction;
use crate::settings;

/// The answers of nodes, and the groups of those that do not answer and are left out.
pub struct Answers<T> {
    pub of: Vec<T>,
    pub lost: Vec<i32>,
}

/// Whether this call may ask other nodes: Citus would connect as the owner of a base whose code calls, and parallel queries send
/// nothing.
pub fn may_ask() -> bool {
    !role::is_restricted() && !transaction::is_parallel()
}

/// Calls a function of the schema kb_rag on the nodes of these groups, each asked for `common` and for its own. The answers of
/// those that answer, by their groups.
pub fn ask<C: Serialize, O: Serialize, T: DeserializeOwned>(
    function: &str,
    common: &C,
    own: &BTreeMap<i32, O>,
) -> Result<Answers<(i32, T)>> {
    let common = json(&(spread::PROTOCOL, common))?;
    let groups: Vec<i32> = own.keys().copied().collect();
    those_that_answer(&groups, |groups| with_keys(groups, |keys| ask_once(function, &common, own, keys)))
}

/// None where a node gives no answer.
fn ask_once<O: Serialize, T: DeserializeOwned>(
    function: &str,
    common: &str,
    own: &BTreeMap<i32, O>,
    keys: &Keys,
) -> Result<Option<Vec<(i32, T)>>> {
    // The statement appends the part of each node to the common part.
    let of_key: BTreeMap<String, (&O,)> =
        keys.of.iter().filter_map(|(group, key)| Some((key.to_string(), (own.get(group)?,)))).collect();
    let own = json(&of_key)?;
    let sql = spi::render(
        include_str!("ask.sql"),
        &[("function", &spi::quote_identifier(function)), ("nodes", &keys.condition())],
    );
    let found =
        by_key(&sql, || vec![Arg::new(common), Arg::new(own.as_str())], |row| row.require::<Jsonb>(2))?;
    if found.len() < keys.of.len() {
        return Ok(None);
    }
    let answers = keys.of.iter().filter_map(|(group, key)| Some((*group, found.get(key)?)));
    answers.map(|(group, answer)| Ok((group, read(answer, group)?))).collect::<Result<_>>().map(Some)
}

/// Which of the groups have bases that are attached to the agent, for a call that must reach all of them. One trip, to all of them at once.
pub(super) fn having_agent(agent: Uuid, groups: &[i32]) -> Result<Vec<i32>> {
    with_keys(groups, |keys| {
        let sql = spi::render(include_str!("having_agent.sql"), &[("nodes", &keys.condition())]);
        let found = by_key(&sql, || vec![Arg::new(agent)], |row| row.require::<bool>(2))?;
        let has = keys.of.iter().filter(|(_, key)| found.get(key).copied().unwrap_or_default());
        Ok((found.len() == keys.of.len()).then(|| has.map(|(group, _)| *group).collect()))
    })
}

/// The same for a search, which may leave out nodes that do not answer.
pub(super) fn having_agent_of_those_that_answer(agent: Uuid, groups: &[i32]) -> Result<Vec<i32>> {
    Ok(those_that_answer(groups, |groups| having_agent(agent, groups))?.of)
}

/// Asks the nodes of these groups, all at the same time. With kb_rag.partial_results they are asked one after the other, and those that do not answer are
/// left out, with a warning: where one of several goes, Citus leaves the connections to the others in the middle of the statement.
fn those_that_answer<T>(groups: &[i32], ask: impl Fn(&[i32]) -> Result<Vec<T>>) -> Result<Answers<T>> {
    if !settings::partial_results() {
        return Ok(Answers { of: ask(groups)?, lost: Vec::new() });
    }
    let mut answers = Answers { of: Vec::new(), lost: Vec::new() };
    for group in groups {
        match attempt(|| ask(&[*group])) {
            Ok(of) => answers.of.extend(of),
            Err(error) if error.is_of_connection() => {
                let address = address(*group)?;
                Error::warning(format!("node {address} does not answer; its knowledge bases are left out"))
                    .detail(error.to_string())
                    .notify();
                answers.lost.push(*group);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(answers)
}

/// Does what can be undone where a node does not answer. Citus ends the session if a node goes while it has a transaction there, so
/// it is to begin none; where each node keeps its snapshot, it has to.
fn attempt<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    subtransaction::attempt(|| match snapshot::is_kept() {
        true => work(),
        false => guc::with_settings(&[(c"citus.select_opens_transaction_block", c"off")], work),
    })
}

/// The rows of a statement by the key of the handle, which is their first column.
fn by_key<T>(
    sql: &str,
    args: impl FnOnce() -> Vec<Arg>,
    read: impl Fn(&spi::Row) -> Result<T>,
) -> Result<HashMap<i32, T>> {
    guc::with_settings(&[], || {
        spi::connect(|c| {
            let rows = reaching(|| {
                c.query(sql, Access::Read, Planning::Custom, &args(), |row| {
                    Ok((row.require::<i32>(1)?, read(row)?))
                })
            })?;
            Ok(rows.into_iter().collect())
        })
    })
}

/// The answer of the node of a group. 55000 for one of another protocol.
fn read<T: DeserializeOwned>(answer: &Jsonb, group: i32) -> Result<T> {
    let Some((protocol, rest)) = answer.value().and_then(protocol_of) else {
        return Err(unreadable(group)?);
    };
    if protocol != spread::PROTOCOL {
        return Err(Error::not_ready(format!(
            "node {} searches by protocol {protocol}, this node by protocol {}",
            address(group)?,
            spread::PROTOCOL
        ))
        .hint("Install the same version of kb_rag on all nodes."));
    }
    match spread::of_answer::<(T,)>(rest) {
        Ok((answer,)) => Ok(answer),
        Err(_) => Err(unreadable(group)?),
    }
}

/// XX000: an answer that has not the form of its protocol.
pub fn unreadable(group: i32) -> Result<Error> {
    Ok(Error::internal(format!("the answer of node {} to a search cannot be read", address(group)?)))
}

fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Error::internal(error.to_string()))
}
