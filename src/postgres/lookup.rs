//! Look-ups in PostgreSQL's caches of its own catalog.
//!
//! # Contract
//! The SAFETY comments of look-ups, here and elsewhere, rest on four facts that hold wherever code of this extension
//! runs:
//!
//! - A backend has one thread, and no code of kb_rag starts another: nobody changes a cache while it is read.
//! - A transaction is open: PostgreSQL calls SQL functions, triggers and hooks within one, and workers begin one before
//!   they look anything up. Caches must not be read outside a transaction.
//! - An error that PostgreSQL raises becomes an unwinding panic in pgrx's wrapper of the C function. The end of the
//!   (sub)transaction then releases the rows, relations and snapshots that are still held.
//! - A look-up by an OID or a name that does not exist returns null or InvalidOid, unless its comment says otherwise.
//!
//! What is left to each SAFETY comment is the rest: which type a row has, and when it is released.

use std::ffi::{CStr, CString, c_char, c_void};

use pgrx::pg_sys;
use pgrx::prelude::*;

use crate::error::{Error, Result};

/// The type that a domain is made of, of whatever depth; the type itself if it is no domain.
pub fn base_type(kind: pg_sys::Oid) -> pg_sys::Oid {
    // SAFETY: reads the catalog; a type that is no domain is itself.
    unsafe { pg_sys::getBaseType(kind) }
}

/// An OID that a look-up returned; None for InvalidOid.
pub fn existing(oid: pg_sys::Oid) -> Option<pg_sys::Oid> {
    (oid != pg_sys::InvalidOid).then_some(oid)
}

/// Brings the caches up to what other sessions have committed. A wait for the lock of a row does not, unlike one for the lock of
/// a table.
pub fn accept_changes() {
    // SAFETY: may rebuild entries of the caches, none of which is in use here.
    unsafe { pg_sys::AcceptInvalidationMessages() };
}

/// Has `callback` called whenever functions may have been created, replaced or dropped, for the life of the process.
pub fn on_function_change(callback: fn()) {
    on_change(pg_sys::SysCacheIdentifier::PROCOID as i32, callback);
}

/// Has `callback` called whenever what a text search configuration makes of texts may have changed, for the life of the process:
/// where PostgreSQL's cache of configurations, dictionaries and parsers forgets them.
pub fn on_text_search_change(callback: fn()) {
    use pg_sys::SysCacheIdentifier::*;
    for cache in [TSCONFIGMAP, TSCONFIGOID, TSDICTOID, TSPARSEROID, TSTEMPLATEOID] {
        on_change(cache as i32, callback);
    }
}

/// Has `callback` called whenever rows of a cache may have changed, for the life of the process.
fn on_change(cache: i32, callback: fn()) {
    // SAFETY: `changed` gets the function that it calls; `cache` is one of every version.
    unsafe {
        let callback = pg_sys::Datum::from(callback as *mut c_void);
        pg_sys::CacheRegisterSyscacheCallback(cache, Some(changed), callback);
    }
}

/// Has `callback` called whenever a relation may have been altered or dropped, with its triggers and policies, or a schema renamed,
/// for the life of the process.
pub fn on_relation_change(callback: fn()) {
    on_change(pg_sys::SysCacheIdentifier::NAMESPACEOID as i32, callback);
    // SAFETY: it gets the function that it calls.
    unsafe {
        let callback = pg_sys::Datum::from(callback as *mut c_void);
        pg_sys::CacheRegisterRelcacheCallback(Some(relations_changed), callback);
    }
}

#[pg_guard]
unsafe extern "C-unwind" fn relations_changed(callback: pg_sys::Datum, _relation: pg_sys::Oid) {
    // SAFETY: the function that `on_relation_change` registered.
    let callback = unsafe { std::mem::transmute::<*mut c_void, fn()>(callback.cast_mut_ptr()) };
    callback();
}

#[pg_guard]
unsafe extern "C-unwind" fn changed(callback: pg_sys::Datum, _cache: i32, _hash: u32) {
    // SAFETY: the function that `on_change` registered.
    let callback = unsafe { std::mem::transmute::<*mut c_void, fn()>(callback.cast_mut_ptr()) };
    callback();
}

/// An installed extension by its name.
pub fn extension(name: &CStr) -> Option<pg_sys::Oid> {
    // SAFETY: a look-up.
    existing(unsafe { pg_sys::get_extension_oid(name.as_ptr(), true) })
}

/// The extension whose script runs; None where none does.
pub fn extension_in_script() -> Option<pg_sys::Oid> {
    // SAFETY: variables of the process.
    unsafe { pg_sys::creating_extension.then_some(pg_sys::CurrentExtensionObject) }
}

/// A schema by its name.
pub fn schema(name: &CStr) -> Option<pg_sys::Oid> {
    // SAFETY: a look-up.
    existing(unsafe { pg_sys::get_namespace_oid(name.as_ptr(), true) })
}

/// Whether there is a schema of this name.
pub fn schema_exists(name: &str) -> bool {
    CString::new(name).is_ok_and(|name| schema(&name).is_some())
}

/// The name of a schema. 42704 when it has just been dropped.
pub fn schema_name(schema: pg_sys::Oid) -> Result<String> {
    // SAFETY: a look-up that returns a palloc'd string.
    unsafe { owned(pg_sys::get_namespace_name(schema)) }
        .ok_or_else(|| Error::not_found(format!("schema {} does not exist", schema.to_u32())))
}

/// A table, index, view or sequence in a schema, by its name.
pub fn relation(schema: pg_sys::Oid, name: &CStr) -> Option<pg_sys::Oid> {
    // SAFETY: a look-up.
    existing(unsafe { pg_sys::get_relname_relid(name.as_ptr(), schema) })
}

/// The schema of a relation; None for one that was dropped.
pub fn relation_schema(relation: pg_sys::Oid) -> Option<pg_sys::Oid> {
    // SAFETY: a look-up.
    existing(unsafe { pg_sys::get_rel_namespace(relation) })
}

/// Whether a relation is an ordinary table.
#[inline]
pub fn is_table(relation: pg_sys::Oid) -> bool {
    // SAFETY: a look-up.
    unsafe { pg_sys::get_rel_relkind(relation) as u8 == pg_sys::RELKIND_RELATION }
}

/// The type and the type modifier of a column; None where there is none of this name.
#[inline]
pub fn column(relation: pg_sys::Oid, name: &CStr) -> Option<(pg_sys::Oid, i32)> {
    let (mut oid, mut modifier, mut collation) = (pg_sys::InvalidOid, -1, pg_sys::InvalidOid);
    // SAFETY: look-ups by name; 0 when missing.
    unsafe {
        let number = pg_sys::get_attnum(relation, name.as_ptr());
        if number == 0 {
            return None;
        }
        pg_sys::get_atttypetypmodcoll(relation, number, &mut oid, &mut modifier, &mut collation);
    }
    Some((existing(oid)?, modifier))
}

/// The table of an index; None for what is no index.
pub fn table_of_index(index: pg_sys::Oid) -> Option<pg_sys::Oid> {
    // SAFETY: a look-up.
    existing(unsafe { pg_sys::IndexGetRelation(index, true) })
}

/// Whether a function is in a schema and has this name.
pub fn is_function(function: pg_sys::Oid, schema: pg_sys::Oid, name: &CStr) -> bool {
    // SAFETY: look-ups; the name is a palloc'd string.
    unsafe {
        if pg_sys::get_func_namespace(function) != schema {
            return false;
        }
        let found = pg_sys::get_func_name(function);
        !found.is_null() && CStr::from_ptr(found) == name
    }
}

/// Schema and name of the operator by which a B-tree over a type compares, by its strategy. None for a type without an order.
pub fn btree_operator(kind: pg_sys::Oid, strategy: u32) -> Option<(pg_sys::Oid, String)> {
    // SAFETY: look-ups; entries of the cache of types live as long as the process, and the name is palloc'd.
    let (operator, name) = unsafe {
        let entry = pg_sys::lookup_type_cache(kind, pg_sys::TYPECACHE_BTREE_OPFAMILY as i32);
        let (family, input) = (existing((*entry).btree_opf)?, (*entry).btree_opintype);
        let operator = pg_sys::get_opfamily_member(family, input, input, strategy as i16);
        (operator, owned(pg_sys::get_opname(operator))?)
    };
    Some((with_operator(operator, |row| row.oprnamespace)?, name))
}

/// The name of a type, as messages show it.
pub fn type_name(oid: pg_sys::Oid) -> String {
    // SAFETY: returns a palloc'd string, for any OID.
    unsafe { owned(pg_sys::format_type_be(oid)) }.unwrap_or_default()
}

/// Whether a value of one type can be cast to another explicitly.
pub fn can_cast(from: pg_sys::Oid, to: pg_sys::Oid) -> bool {
    // SAFETY: a look-up; each array has the one entry that is announced.
    unsafe { pg_sys::can_coerce_type(1, &from, &to, pg_sys::CoercionContext::COERCION_EXPLICIT) }
}

/// Whether a table has a trigger of this name.
pub fn has_trigger(table: pg_sys::Oid, name: &CStr) -> bool {
    // SAFETY: a look-up.
    existing(unsafe { pg_sys::get_trigger_oid(table, name.as_ptr(), true) }).is_some()
}

/// The owner of a table. 42704 when it has just been dropped.
pub fn table_owner(table: pg_sys::Oid) -> Result<pg_sys::Oid> {
    with_relation(table, |row| row.relowner)
        .ok_or_else(|| Error::not_found(format!("table {} does not exist", table.to_u32())))
}

/// Reads the row of a relation in pg_class; None when there is none.
pub fn with_relation<T>(
    relation: pg_sys::Oid,
    read: impl FnOnce(&pg_sys::FormData_pg_class) -> T,
) -> Option<T> {
    // SAFETY: rows of this cache have this type.
    with_row(pg_sys::SysCacheIdentifier::RELOID, relation, |row| read(unsafe { form(row) }))
}

/// The access method of an index by its name; None for a relation that has none.
pub fn access_method(relation: pg_sys::Oid) -> Option<String> {
    let method = existing(with_relation(relation, |row| row.relam)?)?;
    // SAFETY: a look-up that returns a palloc'd string.
    unsafe { owned(pg_sys::get_am_name(method)) }
}

/// The storage parameter `name` of a table or index, such as WITH (name = …); None where it was not given.
pub fn storage_parameter(relation: pg_sys::Oid, name: &str) -> Option<String> {
    let cache = pg_sys::SysCacheIdentifier::RELOID;
    let parameters = with_row(cache, relation, |row| {
        let (row, mut is_null) = (std::ptr::from_ref(row).cast_mut(), false);
        // SAFETY: a row of this cache, and a column of the catalog, whose type is text[].
        unsafe {
            let column = pg_sys::Anum_pg_class_reloptions as pg_sys::AttrNumber;
            let datum = pg_sys::SysCacheGetAttr(cache as i32, row, column, &mut is_null);
            Vec::<Option<String>>::from_datum(datum, is_null)
        }
    })??;
    parameters.into_iter().flatten().find_map(|parameter| {
        let (key, value) = parameter.split_once('=')?;
        (key == name).then(|| value.to_string())
    })
}

/// The name of a text search configuration, if it is one of PostgreSQL's own.
pub fn built_in_text_config(oid: pg_sys::Oid) -> Option<String> {
    /// The columns of pg_ts_config, of which there is no type in Rust.
    const NAME: pg_sys::AttrNumber = 2;
    const NAMESPACE: pg_sys::AttrNumber = 3;
    let cache = pg_sys::SysCacheIdentifier::TSCONFIGOID;
    with_row(cache, oid, |row| {
        let (row, mut is_null) = (std::ptr::from_ref(row).cast_mut(), false);
        // SAFETY: a row of this cache, and columns of the catalog that are never null: an OID and a name.
        unsafe {
            let namespace = pg_sys::SysCacheGetAttr(cache as i32, row, NAMESPACE, &mut is_null);
            if pg_sys::Oid::from_datum(namespace, is_null)?.to_u32() != pg_sys::PG_CATALOG_NAMESPACE {
                return None;
            }
            let name = pg_sys::SysCacheGetAttr(cache as i32, row, NAME, &mut is_null);
            owned(name.cast_mut_ptr::<pg_sys::NameData>().as_ref()?.data.as_ptr())
        }
    })?
}

/// The template of a text search dictionary.
pub fn dictionary_template(dictionary: pg_sys::Oid) -> Option<pg_sys::Oid> {
    /// The column dicttemplate of pg_ts_dict.
    const TEMPLATE: pg_sys::AttrNumber = 5;
    let (cache, none) = (pg_sys::SysCacheIdentifier::TSDICTOID as i32, pg_sys::Datum::from(0usize));
    // SAFETY: a look-up; the column is an OID.
    existing(unsafe { pg_sys::GetSysCacheOid(cache, TEMPLATE, dictionary.into(), none, none, none) })
}

/// The types of a name that belong to an extension.
pub fn types_of_extension(name: &CStr, extension: pg_sys::Oid) -> Vec<pg_sys::Oid> {
    let (cache, none) = (pg_sys::SysCacheIdentifier::TYPENAMENSP as i32, pg_sys::Datum::from(0usize));
    let mut key = pg_sys::NameData::default();
    let mut found = Vec::new();
    // SAFETY: a look-up by a name that `namestrcpy` makes of the given one; the list has `n_members` rows of pg_type, and is released
    // once, after its last use. A scan of pg_depend tells to which extension a type belongs.
    unsafe {
        pg_sys::namestrcpy(&mut key, name.as_ptr());
        let list = pg_sys::SearchSysCacheList(cache, 1, pg_sys::Datum::from(&raw const key), none, none);
        let members = (*list).members.as_slice((*list).n_members as usize);
        found.extend(members.iter().map(|member| form::<pg_sys::FormData_pg_type>(&(**member).tuple).oid));
        pg_sys::ReleaseCatCacheList(list);
    }
    // SAFETY: as above.
    found.retain(|&oid| unsafe { pg_sys::getExtensionOfObject(pg_sys::TypeRelationId, oid) } == extension);
    found
}

/// Reads the row of a type in pg_type; None when there is none.
pub fn with_type<T>(oid: pg_sys::Oid, read: impl FnOnce(&pg_sys::FormData_pg_type) -> T) -> Option<T> {
    // SAFETY: rows of this cache have this type.
    with_row(pg_sys::SysCacheIdentifier::TYPEOID, oid, |row| read(unsafe { form(row) }))
}

/// Reads the row of an operator in pg_operator; None when there is none.
pub fn with_operator<T>(
    oid: pg_sys::Oid,
    read: impl FnOnce(&pg_sys::FormData_pg_operator) -> T,
) -> Option<T> {
    // SAFETY: rows of this cache have this type.
    with_row(pg_sys::SysCacheIdentifier::OPEROID, oid, |row| read(unsafe { form(row) }))
}

/// Reads a row of the cache `cache` that has an OID as its key; None when there is none.
pub fn with_row<T>(
    cache: pg_sys::SysCacheIdentifier::Type,
    oid: pg_sys::Oid,
    read: impl FnOnce(&pg_sys::HeapTupleData) -> T,
) -> Option<T> {
    // SAFETY: a look-up; the row stays valid until its release, which follows its one use.
    unsafe {
        let row = pg_sys::SearchSysCache1(cache as i32, oid.into());
        let result = read(row.as_ref()?);
        pg_sys::ReleaseSysCache(row);
        Some(result)
    }
}

/// Whether the cache `cache` has a row of these keys.
pub fn row_exists(cache: pg_sys::SysCacheIdentifier::Type, keys: [pg_sys::Datum; 2]) -> bool {
    let none = pg_sys::Datum::from(0usize);
    // SAFETY: a look-up; keys that the cache does not have are ignored.
    unsafe { pg_sys::SearchSysCacheExists(cache as i32, keys[0], keys[1], none, none) }
}

/// The fixed columns of a row.
///
/// # Safety
/// `F` must be the type of the catalog that the row is of.
unsafe fn form<F>(row: &pg_sys::HeapTupleData) -> &F {
    // SAFETY: promised by the caller; the columns lie in the row, which is borrowed as long.
    unsafe { &*pg_sys::GETSTRUCT(std::ptr::from_ref(row).cast_mut()).cast::<F>() }
}

/// A name from PostgreSQL as a String; None for null.
///
/// # Safety
/// Must be null or NUL-terminated.
pub unsafe fn owned(name: *const c_char) -> Option<String> {
    // SAFETY: promised by the caller, and not null.
    (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
}
