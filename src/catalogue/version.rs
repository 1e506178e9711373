//! Whether the library and the extension's SQL in this database have the same version. They differ when a new library
//! is installed and ALTER EXTENSION kb_rag UPDATE has not been run yet, or was run while a session keeps the old
//! library.

use std::cell::Cell;

use kb_rag_core::version::Version;
use pgrx::pg_sys;

use crate::error::{Error, Result};
use crate::guc;
use crate::snapshot;
use crate::spi::{self, Access};

/// The version of this library.
const LIBRARY: &str = env!("CARGO_PKG_VERSION");

thread_local! {
    /// Whether the versions were found to be compatible, and no function was created, replaced or dropped since.
    static CHECKED: Cell<bool> = const { Cell::new(false) };
}

/// Begins to watch for updates of the extension; called once when the library is loaded.
pub fn watch() {
    // SAFETY: a function of the right signature that lives as long as the backend; PROCOID is a cache of every version.
    unsafe {
        pg_sys::CacheRegisterSyscacheCallback(
            pg_sys::SysCacheIdentifier::PROCOID as i32,
            Some(functions_changed),
            pg_sys::Datum::from(0usize),
        );
    }
}

/// A change of pg_extension sends no invalidation, but every update of the extension changes a function too.
unsafe extern "C-unwind" fn functions_changed(_argument: pg_sys::Datum, _cache: i32, _hash: u32) {
    CHECKED.set(false);
}

/// 55000 unless library and SQL are compatible. Checked once in a backend, and again when functions change.
pub fn check() -> Result<()> {
    if CHECKED.get() { Ok(()) } else { look_up() }
}

fn look_up() -> Result<()> {
    /// Nothing is known unless the look-up finished: an interrupt unwinds past it.
    struct Unfinished;
    impl Drop for Unfinished {
        fn drop(&mut self) {
            CHECKED.set(false);
        }
    }
    // Set first: an invalidation may arrive during the look-up.
    CHECKED.set(true);
    let unfinished = Unfinished;
    compare()?;
    // An old snapshot shows an old version, which must not be remembered.
    if !snapshot::is_kept() {
        std::mem::forget(unfinished);
    }
    Ok(())
}

fn compare() -> Result<()> {
    let installed = guc::with_settings(&[], || {
        spi::connect(|c| {
            c.query_one(include_str!("version.sql"), Access::Read, &[], |row| {
                Ok((row.require::<String>(1)?, row.require::<pg_sys::Oid>(2)?))
            })
        })
    })?;
    let Some((installed, extension)) = installed else {
        return Err(Error::not_ready("the extension kb_rag is not installed in this database")
            .hint("Run CREATE EXTENSION kb_rag."));
    };
    let (library, sql) = (Version::parse(LIBRARY), Version::parse(&installed));
    // SAFETY: variables of the backend, read by its one thread. An install or update script may call the functions it
    // creates.
    let in_script = unsafe { pg_sys::creating_extension && pg_sys::CurrentExtensionObject == extension };
    if in_script || library.is_some_and(|library| sql.is_some_and(|sql| library.goes_with(sql))) {
        return Ok(());
    }
    let error = Error::not_ready(format!(
        "kb_rag library is version {LIBRARY}, but the extension in this database is version {installed}"
    ));
    Err(error.hint(if library > sql {
        "Run ALTER EXTENSION kb_rag UPDATE in this database.".to_string()
    } else {
        format!(
            "Reconnect to load the library again; if that does not help, install the library of kb_rag {installed}."
        )
    }))
}
