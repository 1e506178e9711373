//! Grants: which roles may use a provider in addition to its owner.

use super::{Provider, lock, quoted, require};
use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::role;
use crate::postgres::spi::{Access, Arg};

/// Allows a role, or `public`, to use a provider. Requires ownership of the provider.
pub fn grant(name: &str, role: &str) -> Result<()> {
    if role != "public" && role::find(role).is_none() {
        return Err(Error::not_found(format!("role \"{role}\" does not exist"))
            .hint("Give the name of a role, or public for everybody."));
    }
    change(include_str!("insert_grant.sql"), name, role).map(drop)
}

/// Removes such a grant, even of a role that no longer exists. Warns if the role can still use the provider.
pub fn revoke(name: &str, role: &str) -> Result<()> {
    let provider = change(include_str!("delete_grant.sql"), name, role)?;
    if role::find(role).is_some_and(|role| provider.may_use(role)) {
        pgrx::warning!(
            "role \"{role}\" can still use provider {}: as a superuser, as its owner, as a member of another role, or by a \
             grant to public",
            quoted(name)
        );
    }
    Ok(())
}

/// Runs the statement for the provider, after checking that the caller owns it; returns the provider as it is
/// afterwards.
fn change(sql: &str, name: &str, role: &str) -> Result<Provider> {
    lock()?;
    require(name, Access::Latest)?.require_owner()?;
    catalog::connect(|c| c.execute(sql, &[Arg::new(name), Arg::new(role)]).map(drop))?;
    require(name, Access::Latest)
}
