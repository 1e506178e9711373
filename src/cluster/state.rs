//! The view kb_rag.cluster: what each node answers.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{is_joined, own_group};
use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::spi::{self, Access, Arg, Planning};

/// The state that a node reports. Only bases that the caller may read are counted, but for those that are lost or unregistered.
#[derive(Deserialize, Serialize, Default)]
struct Answer {
    version: Option<String>,
    bases: Option<i64>,
    chunks: Option<i64>,
    bytes: Option<i64>,
    prepared: Option<i64>,
    lost: Option<i64>,
    unregistered: Option<i64>,
}

/// The state of a node.
pub struct State {
    /// As HOST:PORT.
    pub node: String,
    pub version: Option<String>,
    pub bases: Option<i64>,
    pub chunks: Option<i64>,
    pub bytes: Option<i64>,
    /// Transactions that have been prepared for more than a minute.
    pub prepared: Option<i64>,
    /// Bases that the placement has on this node, but the node does not have.
    pub lost: Option<i64>,
    /// Bases that the node has, but the placement does not have there.
    pub unregistered: Option<i64>,
    pub is_reachable: bool,
    pub error: Option<String>,
}

/// The state of each node; none where the server stands alone.
pub fn states() -> Result<Vec<State>> {
    if !is_joined() {
        return Ok(Vec::new());
    }
    guc::with_settings(&[], || {
        spi::connect(|c| {
            c.query(include_str!("states.sql"), Access::Read, Planning::Custom, &[], |row| {
                let answer = row.get::<String>(3)?.unwrap_or_default();
                Ok(state(row.require(1)?, row.require(2)?, answer))
            })
        })
    })
}

fn state(node: String, is_answered: bool, answer: String) -> State {
    let parsed = serde_json::from_str::<Answer>(&answer).ok().filter(|_| is_answered);
    let is_reachable = parsed.is_some();
    let Answer { version, bases, chunks, bytes, prepared, lost, unregistered } = parsed.unwrap_or_default();
    let error = (!is_reachable).then_some(answer);
    State { node, version, bases, chunks, bytes, prepared, lost, unregistered, is_reachable, error }
}

/// What this server answers when it is asked for its state: these counts of the bases that the caller may read, and what the cluster
/// knows of it.
pub fn own_state(bases: i64, chunks: i64, bytes: i64) -> Result<Jsonb> {
    let found = guc::with_settings(&[], || {
        spi::connect(|c| {
            c.query_one(include_str!("state.sql"), Access::Read, &[], |row| {
                Ok((row.get::<String>(1)?, row.get::<i64>(2)?))
            })
        })
    })?;
    let (version, prepared) = found.unwrap_or_default();
    let (mut lost, mut unregistered) = (None, None);
    if is_joined() {
        let own_group = own_group()?;
        type Bases = BTreeSet<(String, String)>;
        let (placed, present) = catalog::connect(|c| {
            let placed = c.query(
                include_str!("placed_on.sql"),
                Access::Read,
                Planning::Custom,
                &[Arg::new(own_group)],
                |row| Ok((row.require(1)?, row.require(2)?)),
            )?;
            let present =
                c.query(include_str!("bases.sql"), Access::Read, Planning::Generic, &[], |row| {
                    Ok((row.require(2)?, row.require(1)?))
                })?;
            Ok((placed.into_iter().collect::<Bases>(), present.into_iter().collect::<Bases>()))
        })?;
        lost = Some(count(placed.difference(&present).count())?);
        unregistered = Some(count(present.difference(&placed).count())?);
    }
    let (bases, chunks, bytes) = (Some(bases), Some(chunks), Some(bytes));
    Jsonb::from_value(&Answer { version, bases, chunks, bytes, prepared, lost, unregistered })
}

fn count(bases: usize) -> Result<i64> {
    i64::try_from(bases).map_err(|_| Error::internal("more knowledge bases than a bigint counts"))
}
