//! Scopes of several bases, or that name none, in a cluster.

use pgrx::Uuid;

use super::ask::having_agent_of_those_that_answer;
use super::placement::{group_of, group_of_id, groups};
use super::{address, is_alone, own_group};
use crate::error::{Error, Result};

/// Where all bases that a scope covers are on one other node, an error by which the call goes there. 0A000 for several nodes.
fn require_here(mut covered: Vec<i32>, what: &str) -> Result<()> {
    covered.sort_unstable();
    covered.dedup();
    match covered.as_slice() {
        [] => Ok(()),
        [group] if *group == own_group()? => Ok(()),
        [group] => Err(is_there(*group, &format!("{what} are"))?),
        &[first, second, ..] => Err(Error::unsupported(format!("{what} are on several nodes"))
            .detail(format!("Two of these nodes are {} and {}.", address(first)?, address(second)?))
            .hint(
                "Name one knowledge base, or several of one node. Searches and lists cover several nodes, but not in a parallel query, nor \
                 in code that runs as the owner of a table.",
            )
            .on_groups(covered)),
    }
}

/// 55000: what a call is about is on the node of this group, to which it goes where it can. `what` has its verb: `the bases are`.
pub fn is_there(group: i32, what: &str) -> Result<Error> {
    Ok(Error::not_ready(format!("{what} on another node"))
        .hint(format!("Here the call does not reach it: connect to {}.", address(group)?))
        .on_group(group))
}

/// Fails unless all bases of the cluster are on this server, for a call that names none.
pub fn require_all_here() -> Result<()> {
    if is_alone() { Ok(()) } else { require_here(groups()?, "the knowledge bases") }
}

/// Fails unless all bases of an agent, or the base of this id, are on this server. `has_here` says whether this server has any.
pub fn require_agent_here(agent: Uuid, has_here: bool) -> Result<()> {
    if is_alone() {
        return Ok(());
    }
    let own = own_group()?;
    let covered = match group_of_id(agent)? {
        Some(group) => vec![group],
        None => {
            let others: Vec<i32> = groups()?.into_iter().filter(|group| *group != own).collect();
            let mut covered = if others.is_empty() {
                Vec::new()
            } else {
                having_agent_of_those_that_answer(agent, &others)?
            };
            covered.extend(has_here.then_some(own));
            covered
        }
    };
    require_here(covered, &format!("the knowledge bases of agent {agent}"))
}

/// Fails unless all bases of these names are on this server. Names that no node has are left to the caller.
pub fn require_names_here(names: &[&String]) -> Result<()> {
    if is_alone() {
        return Ok(());
    }
    require_here(groups_of(names)?.into_iter().flatten().collect(), "the knowledge bases")
}

/// The groups of the nodes that have the bases of these names; None for a name that no node has.
pub fn groups_of(names: &[&String]) -> Result<Vec<Option<i32>>> {
    names.iter().map(|name| group_of(name)).collect()
}
