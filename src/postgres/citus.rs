//! Citus, where a server has it. Knowledge bases are ordinary tables of one server: Citus must neither repeat the statements that
//! make them on other nodes nor distribute them.

use std::ffi::CStr;

use pgrx::pg_sys;

use crate::error::Result;
use crate::postgres::guc;
use crate::postgres::lookup;
use crate::postgres::relation::{self, Trigger};

/// The settings by which Citus repeats statements on other nodes, and makes each new schema one that it distributes. Every role may
/// set them.
const SETTINGS: [&CStr; 2] = [c"citus.enable_ddl_propagation", c"citus.enable_schema_based_sharding"];

/// Whether the library of Citus is loaded.
pub fn is_loaded() -> bool {
    SETTINGS.into_iter().any(guc::is_defined)
}

/// Begins the application_name of sessions that Citus opens on other nodes for parts of a statement.
const INTERNAL: &[u8] = b"citus_internal gpid=";

/// Whether Citus on another node opened this session for a part of a statement, as far as it looks: roles may set the name. Citus allows
/// no statements on its own tables there.
pub fn is_internal() -> bool {
    guc::application_name().to_bytes().starts_with(INTERNAL)
}

/// Runs `work`, whose statements concern this server alone. Does nothing more where Citus is not loaded.
pub fn on_this_node<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    if !is_loaded() {
        return work();
    }
    let settings: Vec<(&CStr, &CStr)> =
        SETTINGS.into_iter().filter(|name| guc::is_defined(name)).map(|name| (name, c"off")).collect();
    guc::with_only(&settings, work)
}

/// Begins the name of the trigger by which Citus follows TRUNCATE of a table that it distributes, on every node that has the table.
const PREFIX: &[u8] = b"truncate_trigger";

/// The function of a trigger that has the name of Citus's own. Whether it is that one, [`is_own`] says.
pub fn candidate(trigger: &Trigger) -> Option<pg_sys::Oid> {
    trigger.name.to_bytes().starts_with(PREFIX).then_some(trigger.function)
}

/// Whether a function is that of Citus's own trigger. Only superusers can create one in pg_catalog.
pub fn is_own(function: pg_sys::Oid) -> bool {
    let catalog = pg_sys::Oid::from_u32(pg_sys::PG_CATALOG_NAMESPACE);
    lookup::is_function(function, catalog, c"citus_truncate_trigger")
}

/// Whether Citus has the rows of a table elsewhere: it is distributed, a reference table, or a local one that Citus manages. What is
/// left under its name is empty or a copy from before.
pub fn is_distributed(table: pg_sys::Oid) -> bool {
    relation::triggers(table, candidate).into_iter().any(is_own)
}
