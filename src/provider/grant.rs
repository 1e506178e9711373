//! Who may use a provider beside its owner.

use super::{Provider, lock, quoted, require};
use crate::error::{Error, Result};
use crate::role;
use crate::spi::{self, Access, Arg};

/// Lets a role, or `public`, use a provider. Its owner may.
pub fn grant(name: &str, role: &str) -> Result<()> {
    if role != "public" && role::find(role).is_none() {
        return Err(Error::not_found(format!("role \"{role}\" does not exist"))
            .hint("Give the name of a role, or public for everybody."));
    }
    change(include_str!("insert_grant.sql"), name, role).map(drop)
}

/// Ends that; also of a role that does not exist any more. Says so where the role can use it still.
pub fn revoke(name: &str, role: &str) -> Result<()> {
    let provider = change(include_str!("delete_grant.sql"), name, role)?;
    if role::find(role).is_some_and(|role| provider.may_use(role)) {
        pgrx::warning!(
            "role \"{role}\" can still use provider {}: as a superuser, its owner or member of another role, or by a grant to \
             everybody",
            quoted(name)
        );
    }
    Ok(())
}

/// Runs the statement for the provider, once the caller is found to own it; what the provider is after it.
fn change(sql: &str, name: &str, role: &str) -> Result<Provider> {
    lock()?;
    require(name, Access::Latest)?.require_owner()?;
    role::as_catalogue_owner(|| {
        spi::connect(|c| c.execute(sql, &[Arg::new(name), Arg::new(role)]).map(drop))
    })?;
    require(name, Access::Latest)
}
