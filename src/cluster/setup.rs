//! kb_cluster_setup: the tables by which nodes find and reach each other's bases.

use std::collections::BTreeMap;
use std::ffi::CStr;

use pgrx::pg_sys;
use serde::Deserialize;

use super::{HANDLE, HANDLES, Node, PLACEMENT, all, is_set_up, own_group};
use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::lock_tag::{LockTag, Method};
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};
use crate::postgres::{citus, lookup};

/// The settings of the statements here. Citus is to repeat them on the other nodes, by one connection to each: every one takes a
/// prepared transaction.
const SETTINGS: [(&CStr, &CStr); 3] = [
    (c"citus.enable_ddl_propagation", c"on"),
    (c"citus.multi_shard_modify_mode", c"sequential"),
    (c"client_min_messages", c"warning"),
];

/// The number of the lock of a setup; those before it are in `queue::lock`.
const SETUP: u16 = 0x5500;

/// A base as its node lists it.
#[derive(Deserialize)]
struct Listed {
    id: String,
    name: String,
}

/// A row of the placement: the base and the group of its node.
type Placed = (String, i32);

/// Makes the tables, gives each node a handle, and registers the bases of all nodes. Run again, it does what is missing. 42501 but
/// for superusers; 55000 without Citus and on other nodes than the coordinator; 42710 where two nodes have a base of one name.
pub fn setup() -> Result<()> {
    if !role::is_superuser(role::current_role()) {
        return Err(Error::denied("permission denied for kb_cluster_setup")
            .hint("Only superusers may connect the nodes of a cluster."));
    }
    require_citus()?;
    guc::with_settings(&SETTINGS, || {
        let nodes = coordinated()?;
        // One at a time; others wait.
        LockTag::on_extension(0, SETUP, Method::Ordinary).lock(pg_sys::ExclusiveLock);
        make_tables()?;
        let listed = list(&nodes)?;
        give_handles(&nodes, &listed)?;
        spi::connect(|c| place(c, &nodes, &listed))
    })
}

/// 55000 without Citus.
fn require_citus() -> Result<()> {
    let is_there = citus::is_loaded()
        && spi::connect(|c| {
            c.query_one(include_str!("has_citus.sql"), Access::Read, &[], |row| row.require::<bool>(1))
        })? == Some(true);
    if is_there {
        return Ok(());
    }
    Err(Error::not_ready("Citus is not installed in this database").hint(
        "Install Citus on each server, add it to shared_preload_libraries, run CREATE EXTENSION citus, and connect the servers with \
         citus_add_node.",
    ))
}

/// The nodes, where this is the coordinator. 55000 elsewhere.
fn coordinated() -> Result<Vec<Node>> {
    let nodes = all()?;
    let coordinator = nodes.iter().find(|node| node.group == 0);
    if own_group()? != 0 {
        let hint = match coordinator {
            Some(node) => format!("Connect to {node}, and run it there."),
            None => "Connect to the coordinator of Citus, and run it there.".to_string(),
        };
        return Err(Error::not_ready("kb_cluster_setup must run on the coordinator").hint(hint));
    }
    if coordinator.is_none() {
        return Err(Error::not_ready("the coordinator is not among the nodes of Citus")
            .hint("Run citus_set_coordinator_host with the address by which the other nodes reach it."));
    }
    Ok(nodes)
}

/// Makes the tables that are missing. Those of a dump that was restored are ordinary tables that mean nothing: they are made again.
fn make_tables() -> Result<()> {
    if is_set_up() {
        return Ok(());
    }
    let owner = spi::quote_identifier(&role::role_name(catalog::owner()?)?);
    spi::connect(|c| {
        for (table, create, distribute) in [
            (HANDLE, include_str!("create_handle.sql"), include_str!("distribute_handle.sql")),
            (PLACEMENT, include_str!("create_placement.sql"), include_str!("distribute_placement.sql")),
        ] {
            if let Some(found) = catalog::table(table) {
                if citus::is_distributed(found) {
                    continue;
                }
                let name = table.to_string_lossy();
                c.execute_once(&spi::render(include_str!("drop_table.sql"), &[("table", &name)]))?;
            }
            c.execute_once(&spi::render(create, &[("owner", &owner)]))?;
            lookup::accept_changes();
            c.execute_once(distribute)?;
        }
        Ok(())
    })
}

/// The bases of each node, by its group.
fn list(nodes: &[Node]) -> Result<BTreeMap<i32, Vec<Listed>>> {
    // Citus runs the command outside of this transaction, which may have made bases here.
    let own = catalog::connect(|c| {
        c.query(include_str!("bases.sql"), Access::Read, Planning::Generic, &[], |row| {
            Ok(Listed { id: row.require(1)?, name: row.require(2)? })
        })
    })?;
    let command = Arg::new(include_str!("bases_as_json.sql"));
    let answers = spi::connect(|c| {
        c.query(include_str!("ask_workers.sql"), Access::Read, Planning::Custom, &[command], |row| {
            Ok((row.require::<i32>(1)?, row.require::<bool>(2)?, row.get::<String>(3)?.unwrap_or_default()))
        })
    })?;
    let mut listed = BTreeMap::from([(0, own)]);
    for (group, is_answered, answer) in answers {
        let bases = match serde_json::from_str::<Vec<Listed>>(&answer) {
            Ok(bases) if is_answered => bases,
            _ => {
                let node = nodes.iter().find(|node| node.group == group);
                let node = node.map_or_else(|| format!("of group {group}"), Node::to_string);
                return Err(Error::not_ready(format!("node {node} does not list its knowledge bases"))
                    .detail(format!("It answers: {answer}"))
                    .hint("Start the node, and see that it has the extension kb_rag: CREATE EXTENSION kb_rag on the coordinator."));
            }
        };
        listed.insert(group, bases);
    }
    Ok(listed)
}

/// Moves handles to each node that has too few, such as one that was added. 55000 for a node with bases where Citus places no shards.
fn give_handles(nodes: &[Node], listed: &BTreeMap<i32, Vec<Listed>>) -> Result<()> {
    for node in nodes {
        let count = spi::connect(|c| {
            c.query_one(include_str!("count_handles.sql"), Access::Write, &[Arg::new(node.group)], |row| {
                row.require::<i64>(1)
            })
        })?;
        let count = count.and_then(|count| usize::try_from(count).ok()).unwrap_or_default();
        if node.holds_shards {
            for _ in count..HANDLES {
                spi::connect(|c| {
                    let args = [Arg::new(node.id)];
                    c.query_one(include_str!("move_handle.sql"), Access::Write, &args, |_| Ok(()))
                })?;
            }
        } else if count < HANDLES && listed.get(&node.group).is_some_and(|bases| !bases.is_empty()) {
            let host = spi::quote_literal(&node.host);
            return Err(Error::not_ready(format!("node {node} has knowledge bases, but too few shards"))
                .detail("Citus reaches a node by the shards that it places there.")
                .hint(format!(
                    "Run SELECT citus_set_node_property({host}, {}, 'shouldhaveshards', true), and run kb_cluster_setup again.",
                    node.port
                )));
        }
    }
    Ok(())
}

/// Writes which node has which base, as far as that is not written.
fn place(c: &Connection, nodes: &[Node], listed: &BTreeMap<i32, Vec<Listed>>) -> Result<()> {
    let mut wanted: BTreeMap<&str, Placed> = BTreeMap::new();
    for (&group, bases) in listed {
        for base in bases {
            if let Some((_, other)) = wanted.insert(&base.name, (base.id.clone(), group)) {
                return Err(twice(&base.name, nodes, [other, group]));
            }
        }
    }
    let present = c.query(include_str!("placed.sql"), Access::Write, Planning::Custom, &[], |row| {
        Ok((row.require::<String>(1)?, (row.require::<String>(2)?, row.require::<i32>(3)?)))
    })?;
    let (kept, stale): (Vec<_>, Vec<_>) =
        present.into_iter().partition(|(name, placed)| wanted.get(name.as_str()) == Some(placed));
    if !stale.is_empty() {
        let names: Vec<String> = stale.into_iter().map(|(name, _)| name).collect();
        c.execute_planned(include_str!("remove.sql"), Planning::Custom, &[Arg::new(names)])?;
    }
    for (name, _) in &kept {
        wanted.remove(name.as_str());
    }
    if wanted.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = wanted.keys().copied().collect();
    let (ids, groups): (Vec<String>, Vec<i32>) = wanted.values().cloned().unzip();
    let args = [Arg::new(names), Arg::new(ids), Arg::new(groups)];
    c.execute_planned(include_str!("add.sql"), Planning::Custom, &args).map(drop)
}

/// 42710: two nodes have a base of this name.
fn twice(name: &str, nodes: &[Node], groups: [i32; 2]) -> Error {
    let [first, second] = groups.map(|group| {
        let node = nodes.iter().find(|node| node.group == group);
        node.map_or_else(|| format!("group {group}"), Node::to_string)
    });
    Error::exists(format!("knowledge base \"{name}\" is on two nodes: {first} and {second}"))
        .hint("Rename one of them with kb_rename on its node, and run kb_cluster_setup again.")
}
