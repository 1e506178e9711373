//! Calls that concern all nodes, or those that have bases of an agent.

use pgrx::Uuid;

use super::answer::Answer;
use super::ask::having_agent;
use super::keys::keys_of;
use super::placement::{group_of_id, groups};
use super::ship::{administered, here_or_there, ship};
use super::{Node, all, is_joined, own_group};
use crate::error::{Error, Result};
use crate::postgres::call::{Call, Function};
use crate::postgres::role;
use crate::postgres::subtransaction;
use crate::postgres::transaction;

/// What `work` gives here, and the rows that the same call gives on all other nodes. One that does not answer is an error of calls that
/// write, and a warning of those that only read.
pub fn on_all_nodes<T: Answer>(call: Call, work: impl FnOnce() -> Result<T>) -> Result<(T, Vec<T::Row>)> {
    let own = work()?;
    let Some(function) = call.function().filter(|_| is_joined()) else { return Ok((own, Vec::new())) };
    let own_group = own_group()?;
    let mut others = all()?;
    others.retain(|node| node.group != own_group);
    if others.is_empty() {
        return Ok((own, Vec::new()));
    }
    require_reach()?;
    let mut reached = Vec::new();
    for node in others {
        // Setup gives one to each node that has bases.
        if !keys_of(node.group)?.is_empty() {
            reached.push(node);
        } else if function.is_volatile {
            Error::warning(format!("{} is not called on node {node}, which has no row of kb_rag.handle", function.name))
                .hint("Run it there, or let the node hold shards with citus_set_node_property, and run kb_cluster_setup.")
                .notify();
        }
    }
    let rows = if reached.is_empty() {
        Vec::new()
    } else if function.is_volatile {
        ship::<T>(&function, &groups_of(&reached))?
    } else {
        read::<T>(&function, &reached)?
    };
    Ok((own, rows))
}

/// A list of one base, from its node, or of those of all nodes.
pub fn of_base_or_all<R>(
    call: Call,
    knowledge_base: Option<&str>,
    work: impl FnOnce() -> Result<Vec<R>>,
) -> Result<Vec<R>>
where
    Vec<R>: Answer<Row = R>,
{
    if knowledge_base.is_some() {
        return here_or_there(call, work);
    }
    let (mut rows, others) = on_all_nodes(call, work)?;
    rows.extend(others);
    Ok(rows)
}

/// The rows of all nodes that answer.
fn read<T: Answer>(function: &Function, nodes: &[Node]) -> Result<Vec<T::Row>> {
    match subtransaction::attempt(|| ship::<T>(function, &groups_of(nodes))) {
        Err(error) if error.is_of_connection() => {}
        done => return done,
    }
    let mut rows = Vec::new();
    for node in nodes {
        match subtransaction::attempt(|| ship::<T>(function, &[node.group])) {
            Err(error) if error.is_of_connection() => {
                error.warn(&format!("the list lacks the knowledge bases of node {node}"));
            }
            found => rows.extend(found?),
        }
    }
    Ok(rows)
}

fn groups_of(nodes: &[Node]) -> Vec<i32> {
    nodes.iter().map(|node| node.group).collect()
}

/// 55000 where Citus would connect as the owner of a base whose code calls, and in parallel queries, which send nothing.
fn require_reach() -> Result<()> {
    if role::is_restricted() {
        return Err(Error::not_ready("other nodes cannot be reached from code that runs as the owner of a table")
            .hint("Make the call in a statement of your own, not in a trigger, a policy or an expression of a table."));
    }
    if transaction::is_parallel() {
        return Err(Error::not_ready("other nodes cannot be reached in a parallel query")
            .hint("SET max_parallel_workers_per_gather = 0 and run the query again."));
    }
    Ok(())
}

/// The groups of other nodes that have bases of an agent.
fn others_of(agent: Uuid) -> Result<Vec<i32>> {
    if !is_joined() {
        return Ok(Vec::new());
    }
    let own = own_group()?;
    let others: Vec<i32> = groups()?.into_iter().filter(|group| *group != own).collect();
    if others.is_empty() {
        return Ok(others);
    }
    require_reach()?;
    having_agent(agent, &others)
}

/// Makes a call on all nodes that have bases of an agent; here too where none has any. `has_here` says whether this server has some.
pub fn on_nodes_of_agent(
    call: Call,
    agent: Uuid,
    has_here: bool,
    work: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let others = others_of(agent)?;
    if has_here || others.is_empty() {
        work()?;
    }
    match call.function() {
        Some(function) if !others.is_empty() => ship::<()>(&function, &others).map(drop),
        _ => Ok(()),
    }
}

/// For each other node that has bases of an agent: whether the caller administers one of them.
pub fn administers_elsewhere(agent: Uuid) -> Result<Vec<bool>> {
    let others = others_of(agent)?;
    if others.is_empty() {
        return Ok(Vec::new());
    }
    Ok(administered(agent, &others)?.into_iter().flatten().collect())
}

/// Whether a base of this id is on another node.
pub fn is_base_elsewhere(id: Uuid) -> Result<bool> {
    Ok(is_joined() && group_of_id(id)?.is_some_and(|group| own_group().map_or(true, |own| own != group)))
}
