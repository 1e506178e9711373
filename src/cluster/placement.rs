//! The table `kb_rag.placement`: the node of each base. Read and written with the privileges of the catalog's owner, in the
//! transaction of the call.

use pgrx::Uuid;

use super::reach::reaching;
use super::{address, is_joined, own_group, require_vouched};
use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::spi::{Access, Arg, Planning};

/// The group of the node that has the base of this name; None where there is none, or the server stands alone.
pub(super) fn group_of(name: &str) -> Result<Option<i32>> {
    if !is_joined() {
        return Ok(None);
    }
    Ok(read(include_str!("find.sql"), || vec![Arg::new(name)])?.into_iter().next())
}

/// The same of a base of this id.
pub(super) fn group_of_id(id: Uuid) -> Result<Option<i32>> {
    Ok(read(include_str!("find_id.sql"), || vec![Arg::new(id)])?.into_iter().next())
}

/// The groups of all bases.
pub(super) fn groups() -> Result<Vec<i32>> {
    read(include_str!("groups.sql"), Vec::new)
}

fn read(sql: &str, args: impl FnOnce() -> Vec<Arg>) -> Result<Vec<i32>> {
    catalog::connect(|c| c.query(sql, Access::Read, Planning::Custom, &args(), |row| row.require::<i32>(1)))
}

/// The group of another node that has the base of this name.
fn other_group_of(name: &str) -> Result<Option<i32>> {
    match group_of(name)? {
        Some(group) if group != own_group()? => Ok(Some(group)),
        _ => Ok(None),
    }
}

/// 55000 for a base that this server does not have, but another node does. None if none has it.
pub fn unknown(name: &str) -> Result<Option<Error>> {
    let Some(group) = other_group_of(name)? else { return Ok(None) };
    Ok(Some(
        Error::not_ready(format!("knowledge base \"{name}\" is on another node"))
            .hint(format!("Here the call does not reach it: connect to {}.", address(group)?))
            .on_group(group),
    ))
}

/// 42710 if another node has a base of this name.
pub fn require_free(name: &str) -> Result<()> {
    match other_group_of(name)? {
        None => Ok(()),
        Some(group) => Err(taken(name, group)?),
    }
}

/// 42710: a node has a base of this name.
fn taken(name: &str, group: i32) -> Result<Error> {
    Ok(Error::exists(format!("knowledge base \"{name}\" already exists"))
        .detail(format!("It is on the node {}.", address(group)?))
        .hint("Choose another name: names are unique in the cluster."))
}

/// Notes that this node has a new base.
pub fn register(name: &str, base: Uuid) -> Result<()> {
    let args = || Ok([Arg::new(name), Arg::new(base), Arg::new(own_group()?)]);
    write(include_str!("register.sql"), args)
}

/// Notes that a base was dropped.
pub fn forget(name: &str) -> Result<()> {
    write(include_str!("forget.sql"), || Ok([Arg::new(name)]))
}

/// Notes the new name of a base. 42710 if any node has one of that name.
pub fn rename(name: &str, new_name: &str) -> Result<()> {
    if let Some(group) = group_of(new_name)? {
        return Err(taken(new_name, group)?);
    }
    write(include_str!("rename.sql"), || Ok([Arg::new(name), Arg::new(new_name)]))
}

/// Writes on all nodes; in a call from another node, that one does.
fn write<const N: usize>(sql: &str, args: impl FnOnce() -> Result<[Arg; N]>) -> Result<()> {
    if !is_joined() {
        return require_vouched();
    }
    catalog::connect(|c| reaching(|| c.execute_planned(sql, Planning::Custom, &args()?).map(drop)))
}
