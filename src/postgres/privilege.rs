//! Privileges of the current role on schemas and relations. All are look-ups (see the contract in `lookup`).

use std::ptr::NonNull;

use pgrx::array::RawArray;
use pgrx::pg_sys;

use crate::postgres::lookup;
use crate::postgres::role::{current_role, is_member};

/// The grantee of privileges that are granted to PUBLIC.
const PUBLIC: pg_sys::Oid = pg_sys::InvalidOid;

/// Whether SELECT on a table was granted by name to the current role, or to a role it is a member of.
pub fn is_select_granted_by_name(table: pg_sys::Oid) -> bool {
    let select = pg_sys::ACL_SELECT as pg_sys::AclMode;
    let cache = pg_sys::SysCacheIdentifier::RELOID;
    is_granted_by_name(cache, table, pg_sys::Anum_pg_class_relacl, select)
}

/// The same for USAGE on a schema.
pub fn is_usage_granted_by_name(schema: pg_sys::Oid) -> bool {
    let usage = pg_sys::ACL_USAGE as pg_sys::AclMode;
    let cache = pg_sys::SysCacheIdentifier::NAMESPACEOID;
    is_granted_by_name(cache, schema, pg_sys::Anum_pg_namespace_nspacl, usage)
}

/// Reads the access privileges from the catalog's row: the object is neither opened nor locked.
fn is_granted_by_name(
    cache: pg_sys::SysCacheIdentifier::Type,
    object: pg_sys::Oid,
    column: u32,
    privilege: pg_sys::AclMode,
) -> bool {
    let caller = current_role();
    let found = lookup::with_row(cache, object, |row| {
        let mut is_null = false;
        // SAFETY: the column is an array of aclitem without nulls, or null where nobody has changed the privileges.
        unsafe {
            let row = std::ptr::from_ref(row).cast_mut();
            let acl = pg_sys::SysCacheGetAttr(cache as i32, row, column as pg_sys::AttrNumber, &mut is_null);
            if is_null {
                return false;
            }
            let array = NonNull::new(pg_sys::pg_detoast_datum(acl.cast_mut_ptr()) as *mut pg_sys::ArrayType);
            array.is_some_and(|array| {
                let items = RawArray::from_ptr(array).data::<pg_sys::AclItem>();
                items.as_ref().iter().any(|item| {
                    item.ai_grantee != PUBLIC
                        && item.ai_privs & privilege != 0
                        && is_member(caller, item.ai_grantee)
                })
            })
        }
    });
    found.unwrap_or(false)
}

/// Whether row security hides rows of a table from the current role.
pub fn is_row_secured(table: pg_sys::Oid) -> bool {
    // SAFETY: a look-up for an existing table and the current role.
    let result = unsafe { pg_sys::check_enable_rls(table, pg_sys::InvalidOid, true) };
    result == pg_sys::CheckEnableRlsResult::RLS_ENABLED as i32
}

/// Whether the current role has SELECT on a table; false for one that was just dropped.
pub fn may_select(table: pg_sys::Oid) -> bool {
    has_table_privilege(table, pg_sys::ACL_SELECT as pg_sys::AclMode)
}

/// Whether the current role has SELECT on a table or on each of these columns; false for one that was just dropped.
pub fn may_select_columns(table: pg_sys::Oid, columns: &[i32]) -> bool {
    let select = pg_sys::ACL_SELECT as pg_sys::AclMode;
    let is_granted = |column: i32| {
        let mut is_missing = false;
        // SAFETY: a look-up that raises no error for a missing table or column.
        let result = unsafe {
            pg_sys::pg_attribute_aclcheck_ext(
                table,
                column as pg_sys::AttrNumber,
                current_role(),
                select,
                &mut is_missing,
            )
        };
        !is_missing && result == pg_sys::AclResult::ACLCHECK_OK
    };
    may_select(table) || columns.iter().all(|column| is_granted(*column))
}

/// The same for UPDATE.
pub fn may_update(table: pg_sys::Oid) -> bool {
    has_table_privilege(table, pg_sys::ACL_UPDATE as pg_sys::AclMode)
}

/// The same for DELETE.
pub fn may_delete(table: pg_sys::Oid) -> bool {
    has_table_privilege(table, pg_sys::ACL_DELETE as pg_sys::AclMode)
}

fn has_table_privilege(table: pg_sys::Oid, privilege: pg_sys::AclMode) -> bool {
    let mut is_missing = false;
    // SAFETY: a look-up by OID that raises no error for a missing table.
    let result = unsafe { pg_sys::pg_class_aclcheck_ext(table, current_role(), privilege, &mut is_missing) };
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
    // The look-up of the privilege raises an error for a missing schema.
    lookup::row_exists(pg_sys::SysCacheIdentifier::NAMESPACEOID, [schema.into(), none]) && {
        // SAFETY: a look-up for a schema that exists.
        #[cfg(feature = "pg15")]
        let result = unsafe { pg_sys::pg_namespace_aclcheck(schema, current_role(), privilege) };
        // SAFETY: as above.
        #[cfg(not(feature = "pg15"))]
        let result = unsafe {
            pg_sys::object_aclcheck(pg_sys::NamespaceRelationId, schema, current_role(), privilege)
        };
        result == pg_sys::AclResult::ACLCHECK_OK
    }
}
