//! Acting as another role, and the settings that every statement of kb_rag runs under.

use std::ffi::{CStr, CString};
use std::ptr::NonNull;

use pgrx::array::RawArray;
use pgrx::pg_sys;

use crate::error::{Error, Result};
use crate::guc;
use crate::limit;
use crate::version;

/// The grantee of privileges that are granted to PUBLIC.
const PUBLIC: pg_sys::Oid = pg_sys::InvalidOid;

/// Runs `work` as the role `owner`, in a security-restricted context: malicious code on the owner's tables runs with
/// the owner's privileges and cannot become another role. Row security that the owner forces on itself is ignored, as
/// for PostgreSQL's own foreign keys, because a chunk skipped silently would be lost. In workers, and in CALL kb_work()
/// of another role, that code has limited time.
pub fn run_as<T>(owner: pg_sys::Oid, work: impl FnOnce() -> Result<T>) -> Result<T> {
    limit::of_role(owner, || switch_to(owner, work))
}

fn switch_to<T>(owner: pg_sys::Oid, work: impl FnOnce() -> Result<T>) -> Result<T> {
    let _session_goes_on = guc::KeepTransactionTimeout::begin();
    let mut caller = pg_sys::InvalidOid;
    let mut context = 0;
    let restricted = pg_sys::SECURITY_LOCAL_USERID_CHANGE
        | pg_sys::SECURITY_RESTRICTED_OPERATION
        | pg_sys::SECURITY_NOFORCE_RLS;
    // SAFETY: the pair is restored below; when an error unwinds past here, the end of the (sub)transaction does it.
    unsafe {
        pg_sys::GetUserIdAndSecContext(&mut caller, &mut context);
        pg_sys::SetUserIdAndSecContext(owner, context | restricted as i32);
    }
    let result = with_settings(&[], work);
    // SAFETY: the values read above.
    unsafe { pg_sys::SetUserIdAndSecContext(caller, context) };
    result
}

/// Runs `work` with `search_path` pinned to pg_catalog, so that a malicious operator or function elsewhere is never
/// found, and with the given settings. All are undone at the end, as is whatever an owner's code sets meanwhile.
pub fn with_settings<T>(settings: &[(&CStr, &CStr)], work: impl FnOnce() -> Result<T>) -> Result<T> {
    // SAFETY: the nest level is closed below, or by the end of the (sub)transaction when an error unwinds.
    let level = unsafe { pg_sys::NewGUCNestLevel() };
    for (name, value) in [(c"search_path", c"pg_catalog, pg_temp")].iter().chain(settings) {
        // SAFETY: both are NUL-terminated; GUC_ACTION_SAVE belongs to the nest level opened above.
        unsafe {
            pg_sys::set_config_option(
                name.as_ptr(),
                value.as_ptr(),
                pg_sys::GucContext::PGC_USERSET,
                pg_sys::GucSource::PGC_S_SESSION,
                pg_sys::GucAction::GUC_ACTION_SAVE,
                true,
                0,
                false,
            );
        }
    }
    let result = work();
    // SAFETY: closes the nest level opened above. `true`, for a commit, would keep what was SET within.
    unsafe { pg_sys::AtEOXact_GUC(false, level) };
    result
}

/// Runs `work`, whose statement may contain a key: an error in it keeps the statement out of the server's log.
pub fn concealing_statement<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    // SAFETY: on success the nest level is closed below. On an error the end of the (sub)transaction closes it, after
    // the error was logged.
    unsafe {
        let level = pg_sys::NewGUCNestLevel();
        pg_sys::set_config_option(
            c"log_min_error_statement".as_ptr(),
            c"panic".as_ptr(),
            pg_sys::GucContext::PGC_SUSET,
            pg_sys::GucSource::PGC_S_SESSION,
            pg_sys::GucAction::GUC_ACTION_SAVE,
            true,
            0,
            false,
        );
        let result = work();
        if result.is_ok() {
            pg_sys::AtEOXact_GUC(false, level);
        }
        result
    }
}

/// The role whose privileges apply now: the current role.
pub fn current_role() -> pg_sys::Oid {
    // SAFETY: no precondition.
    unsafe { pg_sys::GetUserId() }
}

/// The role of this name.
pub fn find(name: &str) -> Option<pg_sys::Oid> {
    let name = CString::new(name).ok()?;
    // SAFETY: a look-up by name; InvalidOid when missing.
    let role = unsafe { pg_sys::get_role_oid(name.as_ptr(), true) };
    (role != pg_sys::InvalidOid).then_some(role)
}

/// The name of a role. 42704 when it has just been dropped.
pub fn role_name(role: pg_sys::Oid) -> Result<String> {
    // SAFETY: returns a palloc'd string, or null for a role that does not exist.
    let name = unsafe { pg_sys::GetUserNameFromId(role, true) };
    // SAFETY: as the function gave it.
    unsafe { owned(name) }.ok_or_else(|| Error::not_found(format!("role {} does not exist", role.to_u32())))
}

/// The name of a schema. 42704 when it has just been dropped.
pub fn schema_name(namespace: pg_sys::Oid) -> Result<String> {
    // SAFETY: returns a palloc'd string, or null for a schema that does not exist.
    let name = unsafe { pg_sys::get_namespace_name(namespace) };
    // SAFETY: as the function gave it.
    unsafe { owned(name) }
        .ok_or_else(|| Error::not_found(format!("schema {} does not exist", namespace.to_u32())))
}

/// Whether there is a schema of this name.
pub fn schema_exists(name: &str) -> bool {
    // SAFETY: a look-up by name; InvalidOid when missing.
    CString::new(name)
        .is_ok_and(|name| unsafe { pg_sys::get_namespace_oid(name.as_ptr(), true) } != pg_sys::InvalidOid)
}

/// A name from PostgreSQL as a String; None for null.
///
/// # Safety
/// Must be null or NUL-terminated.
unsafe fn owned(name: *const std::ffi::c_char) -> Option<String> {
    // SAFETY: promised by the caller, and not null.
    (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
}

/// The owner of a table. 42704 when it has just been dropped.
pub fn table_owner(table: pg_sys::Oid) -> Result<pg_sys::Oid> {
    // SAFETY: a syscache look-up by OID; the tuple is released after its one use.
    unsafe {
        let tuple = pg_sys::SearchSysCache1(pg_sys::SysCacheIdentifier::RELOID as i32, table.into());
        if tuple.is_null() {
            return Err(Error::not_found(format!("table {} does not exist", table.to_u32())));
        }
        let owner = (*(pg_sys::GETSTRUCT(tuple) as pg_sys::Form_pg_class)).relowner;
        pg_sys::ReleaseSysCache(tuple);
        Ok(owner)
    }
}

/// Runs `work` with the privileges of the extension's owner: only for reading and writing the catalogue, which must be
/// of the library's version.
pub fn as_catalogue_owner<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    // SAFETY: look-ups by name; InvalidOid when missing.
    let table = unsafe {
        let schema = pg_sys::get_namespace_oid(c"kb_rag".as_ptr(), true);
        pg_sys::get_relname_relid(c"knowledge_base".as_ptr(), schema)
    };
    if table == pg_sys::InvalidOid {
        return Err(Error::not_ready("the catalogue of kb_rag is missing")
            .hint("Run CREATE EXTENSION kb_rag in this database."));
    }
    version::check()?;
    switch_to(table_owner(table)?, work)
}

/// Whether a role is a superuser.
pub fn is_superuser(role: pg_sys::Oid) -> bool {
    // SAFETY: a look-up by role OID.
    unsafe { pg_sys::superuser_arg(role) }
}

/// Whether the current role has the privileges of `role`: it is that role, a member of it or a superuser.
pub fn has_rights_of(role: pg_sys::Oid) -> bool {
    has_rights(current_role(), role)
}

/// The same for another role.
pub fn has_rights(role: pg_sys::Oid, of: pg_sys::Oid) -> bool {
    // SAFETY: look-ups by role OID.
    unsafe { pg_sys::has_privs_of_role(role, of) }
}

/// The same where `of` is a name. Only superusers have the privileges of a role that does not exist.
pub fn has_rights_of_named(role: pg_sys::Oid, of: &str) -> bool {
    find(of).map_or_else(|| is_superuser(role), |of| has_rights(role, of))
}

/// Whether `role` is `of` or a member of it, directly or through others. A superuser is a member only of the roles
/// granted to it.
pub fn is_member(role: pg_sys::Oid, of: pg_sys::Oid) -> bool {
    // SAFETY: look-ups by role OID.
    unsafe { pg_sys::is_member_of_role_nosuper(role, of) }
}

/// Whether SELECT on a table was granted by name to the current role, or to a role it is a member of.
pub fn is_select_granted_by_name(table: pg_sys::Oid) -> bool {
    let select = pg_sys::ACL_SELECT as pg_sys::AclMode;
    let cache = pg_sys::SysCacheIdentifier::RELOID as i32;
    is_granted_by_name(cache, table, pg_sys::Anum_pg_class_relacl, select)
}

/// The same for USAGE on a schema.
pub fn is_usage_granted_by_name(schema: pg_sys::Oid) -> bool {
    let usage = pg_sys::ACL_USAGE as pg_sys::AclMode;
    let cache = pg_sys::SysCacheIdentifier::NAMESPACEOID as i32;
    is_granted_by_name(cache, schema, pg_sys::Anum_pg_namespace_nspacl, usage)
}

/// Reads the access privileges from the catalogue's row: the object is neither opened nor locked.
fn is_granted_by_name(cache: i32, object: pg_sys::Oid, column: u32, privilege: pg_sys::AclMode) -> bool {
    let caller = current_role();
    // SAFETY: a syscache look-up by OID; the tuple is released after its last use. The column is an array of aclitem
    // without nulls, or null where nobody has changed the privileges.
    unsafe {
        let tuple = pg_sys::SearchSysCache1(cache, object.into());
        if tuple.is_null() {
            return false;
        }
        let mut is_null = false;
        let acl = pg_sys::SysCacheGetAttr(cache, tuple, column as pg_sys::AttrNumber, &mut is_null);
        let array = if is_null {
            None
        } else {
            NonNull::new(pg_sys::pg_detoast_datum(acl.cast_mut_ptr()) as *mut pg_sys::ArrayType)
        };
        let found = array.is_some_and(|array| {
            let items = RawArray::from_ptr(array).data::<pg_sys::AclItem>();
            items.as_ref().iter().any(|item| {
                item.ai_grantee != PUBLIC
                    && item.ai_privs & privilege != 0
                    && is_member(caller, item.ai_grantee)
            })
        });
        pg_sys::ReleaseSysCache(tuple);
        found
    }
}

/// Whether row security hides rows of a table from the current role.
pub fn is_row_secured(table: pg_sys::Oid) -> bool {
    // SAFETY: a look-up for an existing table and the current role.
    let result = unsafe { pg_sys::check_enable_rls(table, pg_sys::InvalidOid, true) };
    result == pg_sys::CheckEnableRlsResult::RLS_ENABLED as i32
}

/// Whether the current role has SELECT on a table; false for one that was just dropped.
pub fn may_select(table: pg_sys::Oid) -> bool {
    let mut is_missing = false;
    let select = pg_sys::ACL_SELECT as pg_sys::AclMode;
    // SAFETY: a look-up by OID that raises no error for a missing table.
    let result = unsafe { pg_sys::pg_class_aclcheck_ext(table, current_role(), select, &mut is_missing) };
    !is_missing && result == pg_sys::AclResult::ACLCHECK_OK
}

/// Whether the current role has USAGE on a schema; false for one that was just dropped.
pub fn may_use_schema(schema: pg_sys::Oid) -> bool {
    has_schema_privilege(schema, pg_sys::ACL_USAGE as pg_sys::AclMode)
}

/// Whether the current role has CREATE on a schema; false for one that was just dropped.
pub fn may_create_in_schema(schema: pg_sys::Oid) -> bool {
    has_schema_privilege(schema, pg_sys::ACL_CREATE as pg_sys::AclMode)
}

fn has_schema_privilege(schema: pg_sys::Oid, privilege: pg_sys::AclMode) -> bool {
    let none = pg_sys::Datum::from(0usize);
    // SAFETY: look-ups by OID; the second raises an error for a missing schema, which the first has just ruled out.
    unsafe {
        if !pg_sys::SearchSysCacheExists(
            pg_sys::SysCacheIdentifier::NAMESPACEOID as i32,
            schema.into(),
            none,
            none,
            none,
        ) {
            return false;
        }
        #[cfg(feature = "pg15")]
        let result = pg_sys::pg_namespace_aclcheck(schema, current_role(), privilege);
        #[cfg(not(feature = "pg15"))]
        let result = pg_sys::object_aclcheck(pg_sys::NamespaceRelationId, schema, current_role(), privilege);
        result == pg_sys::AclResult::ACLCHECK_OK
    }
}
