//! The privilege to create knowledge bases.

use super::grant::Grantee;
use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::spi::{self, Access, Planning};

/// Lets a role, or everybody, create bases.
pub fn grant_admin(role: &str) -> Result<()> {
    change(include_str!("grant_functions.sql"), role)
}

/// Revokes that. Bases that the role created stay its own.
pub fn revoke_admin(role: &str) -> Result<()> {
    change(include_str!("revoke_functions.sql"), role)
}

fn change(template: &str, role: &str) -> Result<()> {
    let grantee = Grantee::find(role)?;
    catalog::connect(|c| {
        let functions: Vec<String> =
            c.query(include_str!("admin_functions.sql"), Access::Write, Planning::Auto, &[], |row| {
                row.require(1)
            })?;
        if functions.is_empty() {
            return Err(Error::internal("no function is reserved for administrators"));
        }
        let values = [("functions", functions.join(", ")), ("role", grantee.sql)];
        c.run(&spi::render(template, &values.each_ref().map(|(name, value)| (*name, value.as_str()))))
    })
}
