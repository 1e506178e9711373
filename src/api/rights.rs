//! kb_grant, kb_revoke, kb_grant_admin, kb_revoke_admin.

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::argument::required;
use crate::base::{self, Privilege};
use crate::choice::Choice;
use crate::cluster::{here_or_there, on_all_nodes};
use crate::error::Result;
use crate::postgres::call::Call;

#[pg_extern(volatile, parallel_unsafe)]
fn kb_grant(
    call: Call,
    name: Option<&str>,
    role: Option<&str>,
    privilege: Option<&str>,
) -> Result<(), ErrorReport> {
    Ok(here_or_there(call, || {
        let (name, role) = (required(name, "name")?, required(role, "role")?);
        base::grant(name, role, Privilege::from_name(required(privilege, "privilege")?)?)
    })?)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_revoke(
    call: Call,
    name: Option<&str>,
    role: Option<&str>,
    privilege: Option<&str>,
) -> Result<(), ErrorReport> {
    Ok(here_or_there(call, || {
        let (name, role) = (required(name, "name")?, required(role, "role")?);
        base::revoke(name, role, Privilege::from_name(required(privilege, "privilege")?)?)
    })?)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_grant_admin(call: Call, role: Option<&str>) -> Result<(), ErrorReport> {
    Ok(on_all_nodes(call, || base::grant_admin(required(role, "role")?)).map(drop)?)
}

#[pg_extern(volatile, parallel_unsafe)]
fn kb_revoke_admin(call: Call, role: Option<&str>) -> Result<(), ErrorReport> {
    Ok(on_all_nodes(call, || base::revoke_admin(required(role, "role")?)).map(drop)?)
}
