//! Dropping a knowledge base.

use std::ffi::{CStr, CString};

use pgrx::pg_sys;

use super::dependents::{self, Fate};
use super::{
    KnowledgeBase, attached_relations, drop_attached_triggers, drop_function, drop_view, find, hold_attached,
    shape, unknown,
};
use crate::base::agent::configure::forget_unattached;
use crate::base::agent::unattached::forget_unattached_of;
use crate::base::privileges::grant::not_owner;
use crate::catalog;
use crate::cluster;
use crate::error::Result;
use crate::lock::{self, LockMode, Lockable, TableLock};
use crate::postgres::guc;
use crate::postgres::lookup;
use crate::postgres::role;
use crate::postgres::spi::{self, Arg};
use crate::queue;

/// The tables of a base.
const TABLES: [&CStr; 7] =
    [c"document", c"chunk", c"embedding", c"keyword_segment", c"keyword_run", c"setting", c"source"];

/// Drops the base's tables, schema and catalog row, with the caller's privileges. Foreign objects in the schema, or views
/// that depend on its tables, are not touched: 2BP01 that names them.
pub fn drop_base(name: &str) -> Result<()> {
    // Waits for another kb_drop of the base, which leaves nothing to find.
    lock::row_for_update(name)?;
    lookup::accept_changes();
    let base = find(name)?.ok_or_else(|| unknown(name))?;
    base.require_local()?;
    if base.namespace.is_some() {
        base.require_owner()?;
        hold_attached(base.id)?;
        // All at once: a transaction that writes to an attached table, or has searched the base and is about to, must not
        // wait for us while we wait for it.
        base.lock_with(LockMode::AccessExclusive, || {
            let attached = attached_relations(base.id, None)?;
            Ok(TableLock::for_tables(attached.into_iter().chain(base.views()?), LockMode::AccessExclusive))
        })?;
        drop_attached_triggers(&base, None)?;
        let quiet: &[(&CStr, &CStr)] = &[(c"client_min_messages", c"warning")];
        let schema = base.quoted_schema();
        let (names, tables): (Vec<_>, Vec<_>) = base.tables_to_drop()?.into_iter().unzip();
        let (views, functions) = (base.exposed()?, base.exposed_functions()?);
        let parts = tables.into_iter().chain(views.iter().map(|view| view.oid)).collect();
        let message =
            |_: &str, _| format!("cannot drop knowledge base \"{name}\" because other objects depend on it");
        let own = functions.iter().map(|function| function.oid).collect();
        let namespace = base.namespace.unwrap_or(pg_sys::InvalidOid);
        dependents::require_none(message, parts, own, namespace, Fate::Dropped)?;
        let sql =
            spi::render(include_str!("tables.sql"), &[("schema", &schema), ("tables", &names.join(", "))]);
        guc::with_settings(quiet, || {
            spi::connect(|c| {
                functions.iter().try_for_each(|function| drop_function(c, function))?;
                views.iter().try_for_each(|view| drop_view(c, &view.name))?;
                c.run(&sql)
            })
        })?;
    } else if !may_drop_lost(&base)? {
        return Err(not_owner(name, &base.owner));
    } else {
        hold_attached(base.id)?;
        drop_attached_triggers(&base, None)?;
    }
    catalog::connect(|c| c.execute(include_str!("delete.sql"), &[Arg::new(base.id)]))?;
    cluster::forget(name)?;
    queue::forget_held(base.id)?;
    forget_unattached_of(base.id)?;
    forget_unattached()
}

/// Whether the caller may remove a base whose schema, or a part of it, is gone.
pub fn may_drop_lost(base: &KnowledgeBase) -> Result<bool> {
    let caller = role::current_role();
    Ok(base.owner == role::role_name(caller)? || role::is_superuser(caller))
}

impl KnowledgeBase {
    /// The tables that exist, with their names for a DROP TABLE. A view in the place of a table is not dropped: it keeps the
    /// schema from being dropped, and is named.
    fn tables_to_drop(&self) -> Result<Vec<(String, pg_sys::Oid)>> {
        let namespace = self.namespace.unwrap_or(pg_sys::InvalidOid);
        let next = shape::tables_of_next(namespace)?;
        let next: Vec<CString> = next.into_iter().filter_map(|table| CString::new(table).ok()).collect();
        let schema = self.quoted_schema();
        let found = |table: &CStr| {
            Some((format!("{schema}.{}", table.to_string_lossy()), shape::table_in(namespace, table)?))
        };
        let others = self.optional_tables().into_iter().chain(next.iter().map(CString::as_c_str));
        Ok(TABLES.into_iter().chain(others).filter_map(found).collect())
    }
}
