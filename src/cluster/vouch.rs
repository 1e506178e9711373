//! Names of bases and the bases of agents concern all nodes. The node that sends a call checks them, for Citus lets the one that gets it
//! ask no other. A session that Citus opened is told apart by settings that any role may make, so the sender also vouches for the call:
//! over a connection of the catalog's owner, it has that node keep a lock on the process that runs the call, as long as that runs.

use pgrx::pg_sys;

use super::is_sent;
use super::keys::{last_key_of, unreached};
use super::reach::reaching;
use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::lock_tag::{LockTag, Method};
use crate::postgres::process;
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};

/// The number of the lock of a process; those before it are in `queue::lock` and `setup`.
const VOUCHED: u16 = 0x5600;

/// Runs `work`, which has Citus run one call on the node of a group by the shard of this key, for which the caller was checked. Another
/// call in the same process there, in the same transaction, was not.
pub(super) fn vouched<T>(
    connection: &Connection,
    group: i32,
    key: i32,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    if is_trusted()? {
        return work();
    }
    let sql = spi::render(include_str!("process.sql"), &[("key", &key.to_string())]);
    let process = reaching(|| connection.query_one(&sql, Access::Write, &[], |row| row.require::<i32>(1)))?;
    let process = process.ok_or_else(|| Error::internal("another node has no row of kb_rag.handle"))?;
    // The shard of another key: Citus lets no other role use one that the caller's statements could have changed.
    let other = last_key_of(group)?;
    let vouch = |begins: bool| {
        let values = [("key", other.to_string()), ("group", group.to_string())];
        let sql = spi::render(
            include_str!("vouch.sql"),
            &values.each_ref().map(|(name, value)| (*name, value.as_str())),
        );
        let args = [Arg::new(process), Arg::new(begins)];
        let run = |c: &Connection| c.query(&sql, Access::Write, Planning::Custom, &args, |_| Ok(()));
        let rows = catalog::connect(|c| reaching(|| run(c)))?;
        if rows.is_empty() { Err(unreached()) } else { Ok(()) }
    };
    vouch(true)?;
    // If it fails, the lock ends with the transaction, or its part, there.
    let answer = work()?;
    vouch(false)?;
    Ok(answer)
}

/// The process of this session. Citus names types of pg_catalog without their schema, so a role whose search_path has it behind a schema
/// of its own could have a type there run code while another node vouches for the process: names are found in pg_catalog only until
/// the transaction ends.
pub fn vouched_process() -> i32 {
    guc::pin_path_of_transaction();
    process::id()
}

/// 42501 in a session that Citus opened, or that seems to be one, for a call that no other node vouches for.
pub fn require_vouched() -> Result<()> {
    if !is_sent() || is_trusted()? {
        return Ok(());
    }
    let tag = tag(process::id());
    if !tag.try_lock(pg_sys::ExclusiveLock) {
        return Ok(());
    }
    tag.unlock(pg_sys::ExclusiveLock);
    Err(Error::denied(
        "names of knowledge bases and attachments to agents cannot be changed in a session of Citus",
    )
    .hint("Call the function itself, on any node, in a session whose application_name is your own."))
}

/// Begins or ends to vouch for a call in a process of this server. 42501 but for the owner of the catalog.
pub fn vouch(process: i32, begins: bool) -> Result<()> {
    if !is_trusted()? {
        return Err(Error::denied("permission denied for kb_rag.vouch"));
    }
    let tag = tag(process);
    if begins {
        tag.lock(pg_sys::ExclusiveLock);
        return Ok(());
    }
    if !tag.is_held(pg_sys::ExclusiveLock) {
        return Err(Error::not_ready(format!("this session does not vouch for the process {process}"))
            .hint("Nodes of a cluster call this function."));
    }
    tag.unlock_of_transaction(pg_sys::ExclusiveLock);
    Ok(())
}

fn tag(process: i32) -> LockTag {
    LockTag::on_extension(process.cast_unsigned(), VOUCHED, Method::Ordinary)
}

/// Whether the current role may write what tells where bases are.
fn is_trusted() -> Result<bool> {
    let role = role::current_role();
    Ok(role::is_superuser(role) || role == catalog::owner()?)
}
