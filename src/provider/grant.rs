//! Grants: which roles may use a provider in addition to its owner, for everything or within limits.

use pgrx::{Uuid, pg_sys};

use super::{Provider, lock, quoted, require};
use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::role;
use crate::postgres::spi::{Access, Arg, Planning};

/// What a grant covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The agent whose URLs it covers; None for all URLs.
    pub agent: Option<Uuid>,
    /// Whether it covers URLs that are fetched again and again.
    pub auto_sync: bool,
}

impl Scope {
    pub const ALL: Scope = Scope { agent: None, auto_sync: true };
}

/// Whether the catalog has grants with limits, which that of kb_rag 0.3 lacks.
fn has_limits() -> bool {
    catalog::has_table(c"limited_grant")
}

/// Allows a role, or `public`, to use a provider. Requires ownership of the provider. A grant of everything takes the place of
/// those with limits.
pub fn grant(name: &str, role: &str, scope: Scope) -> Result<()> {
    if role != "public" && role::find(role).is_none() {
        return Err(Error::not_found(format!("role \"{role}\" does not exist"))
            .hint("Give the name of a role, or public for everybody."));
    }
    lock()?;
    let provider = require(name, Access::Latest)?;
    provider.require_owner()?;
    if scope == Scope::ALL {
        forget_limited(name, Some(role), None)?;
        return change(include_str!("insert_grant.sql"), name, role);
    }
    if !provider.kind.fetches() {
        return Err(Error::invalid(format!("provider {} does not fetch pages", quoted(name)))
            .detail(format!("It is of kind {}.", provider.kind.name()))
            .hint("Leave out agent_id and auto_sync: they limit which URLs are fetched."));
    }
    if scope.agent.is_none() {
        change(include_str!("delete_grant.sql"), name, role)?;
    } else if provider.granted.iter().any(|granted| granted == role) {
        Error::remark(format!("role \"{role}\" may use provider {} for all agents", quoted(name)))
            .hint("Revoke that with kb_provider_revoke, then grant it for the agent again.")
            .notify();
    }
    catalog::connect(|c| {
        let args = [Arg::new(name), Arg::new(role), Arg::new(scope.agent), Arg::new(scope.auto_sync)];
        c.execute(include_str!("insert_limited_grant.sql"), &args).map(drop)
    })
}

/// Removes such grants, even of a role that no longer exists: all of them, or that for one agent. Warns if the role can still use
/// the provider.
pub fn revoke(name: &str, role: &str, agent: Option<Uuid>) -> Result<()> {
    lock()?;
    require(name, Access::Latest)?.require_owner()?;
    forget_limited(name, Some(role), agent)?;
    if agent.is_none() {
        change(include_str!("delete_grant.sql"), name, role)?;
    }
    let provider = require(name, Access::Latest)?;
    if role::find(role).is_some_and(|role| provider.may_use(role)) {
        pgrx::warning!(
            "role \"{role}\" can still use provider {}: as a superuser, as its owner, as a member of another role, or by a \
             grant to public{}",
            quoted(name),
            if agent.is_some() { " or for all agents" } else { "" }
        );
    }
    Ok(())
}

/// Removes all grants on a provider.
pub(super) fn forget(name: &str) -> Result<()> {
    forget_limited(name, None, None)?;
    catalog::connect(|c| c.execute(include_str!("delete_grants.sql"), &[Arg::new(name)]).map(drop))
}

/// Removes grants with limits: those of a role or of all, for an agent or whatever their limits are.
fn forget_limited(name: &str, role: Option<&str>, agent: Option<Uuid>) -> Result<()> {
    if !has_limits() {
        return Ok(());
    }
    let args = [Arg::new(name), Arg::new(role), Arg::new(agent)];
    catalog::connect(|c| c.execute(include_str!("delete_limited_grants.sql"), &args).map(drop))
}

fn change(sql: &str, name: &str, role: &str) -> Result<()> {
    catalog::connect(|c| c.execute(sql, &[Arg::new(name), Arg::new(role)]).map(drop))
}

/// The grants with limits on a provider that a role has: by its name, as a member, or as anybody.
fn limited(name: &str, role: pg_sys::Oid) -> Result<Vec<Scope>> {
    if !has_limits() {
        return Ok(Vec::new());
    }
    let found = catalog::connect(|c| {
        let sql = include_str!("limited_grants.sql");
        c.query(sql, Access::Write, Planning::Generic, &[Arg::new(name)], |row| {
            Ok((row.require::<String>(1)?, Scope { agent: row.get(2)?, auto_sync: row.require(3)? }))
        })
    })?;
    let is_granted = |granted: &str| {
        granted == "public" || role::find(granted).is_some_and(|of| role::has_privileges(role, of))
    };
    Ok(found.into_iter().filter(|(granted, _)| is_granted(granted)).map(|(_, scope)| scope).collect())
}

impl Provider {
    /// Whether a role has a grant with limits on it.
    pub(super) fn is_granted_within_limits(&self, role: pg_sys::Oid) -> Result<bool> {
        Ok(!limited(&self.name, role)?.is_empty())
    }

    /// 42501 unless `role` may have pages fetched through it: for an agent, and again and again.
    pub fn require_fetches(&self, role: pg_sys::Oid, wanted: Scope) -> Result<()> {
        if self.may_use(role) {
            return Ok(());
        }
        let grants = limited(&self.name, role)?;
        let of_agent = || grants.iter().filter(|grant| grant.agent.is_none() || grant.agent == wanted.agent);
        if of_agent().any(|grant| grant.auto_sync || !wanted.auto_sync) {
            return Ok(());
        }
        let name = role::role_name(role)?;
        let to_role = format!("The provider was not granted to role \"{name}\"");
        let denied = Error::denied(format!("permission denied for provider {}", quoted(&self.name)));
        if grants.is_empty() {
            return Err(denied
                .detail(format!("{to_role}."))
                .hint("The owner of the provider can grant it with kb_provider_grant.")
                .of_provider());
        }
        let literal = |text: &str| text.replace('\'', "''");
        let agent = wanted.agent.map_or_else(String::new, |agent| format!(", agent_id => '{agent}'"));
        let call = format!("kb_provider_grant('{}', '{}'{agent})", literal(&self.name), literal(&name));
        let (what, who) = match (of_agent().next(), wanted.agent) {
            (Some(_), _) => (" with auto_sync", "Leave auto_sync out, or have the owner of the provider"),
            (None, Some(_)) => (" for this agent", "The owner of the provider can"),
            (None, None) => (" for URLs of no agent", "The owner of the provider can"),
        };
        Err(denied
            .detail(format!("{to_role}{what}."))
            .hint(format!("{who} grant it: SELECT {call}"))
            .of_provider())
    }
}
