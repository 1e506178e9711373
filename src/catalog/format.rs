//! Whether the library and the extension's SQL in this database have the same format. They differ when a new library is
//! installed and ALTER EXTENSION kb_rag UPDATE has not been run yet, or was run while a session keeps the old library.
//!
//! The format is a number of its own, not the version: it rises only if one side could not read or write correctly what the
//! other side writes. A new function or a nullable column does not raise it. With equal formats everything works, whatever the
//! versions are. With different ones, functions are 55000, and triggers write what [`super::missed`] describes.

use std::cell::RefCell;

use super::owner;
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::lookup;
use crate::postgres::role;
use crate::postgres::snapshot;
use crate::postgres::spi::{self, Access, Arg};

/// The format of this library, which kb_rag.format() has in SQL. docs/releasing.md says when it rises. Builds with the feature
/// `next_format` have another one, so that tests can update a database and its library.
pub const FORMAT: i32 = if cfg!(feature = "next_format") { 2 } else { 1 };

/// The version of this library.
const LIBRARY: &str = if cfg!(feature = "next_format") { "0.99.0" } else { env!("CARGO_PKG_VERSION") };

thread_local! {
    /// The difference that was found, or that there is none; None until it is looked up, and after a function was created,
    /// replaced or dropped.
    static FOUND: RefCell<Option<Option<Error>>> = const { RefCell::new(None) };
}

/// Begins to watch for updates of the extension; called once when the library is loaded.
pub fn watch() {
    // An update that raises the format replaces kb_rag.format().
    lookup::on_function_change(|| FOUND.set(None));
}

/// 55000 unless library and SQL have the same format. Looked up once in a backend, and again when functions change.
pub fn check() -> Result<()> {
    difference()?.map_or(Ok(()), Err)
}

/// The error that functions raise because the formats differ; None if they are equal.
pub fn difference() -> Result<Option<Error>> {
    // A transaction that has its locks already would not hear of an update.
    lookup::accept_changes();
    if let Some(found) = FOUND.with_borrow(Clone::clone) {
        return Ok(found);
    }
    /// Nothing is known unless the look-up finished: an interrupt unwinds past it.
    struct Unfinished;
    impl Drop for Unfinished {
        fn drop(&mut self) {
            FOUND.set(None);
        }
    }
    // Set first: an invalidation may arrive during the look-up.
    FOUND.set(Some(None));
    let unfinished = Unfinished;
    let found = look_up()?;
    let is_still_valid = FOUND.with_borrow(Option::is_some);
    // An old snapshot shows an old version, which must not be remembered.
    if is_still_valid && !snapshot::is_kept() {
        FOUND.set(Some(found.clone()));
        std::mem::forget(unfinished);
    }
    Ok(found)
}

fn look_up() -> Result<Option<Error>> {
    let Some(extension) = lookup::extension(c"kb_rag") else {
        return Ok(Some(
            Error::not_ready("the extension kb_rag is not installed in this database")
                .hint("Run CREATE EXTENSION kb_rag."),
        ));
    };
    // An install or update script may call the functions it creates.
    if lookup::extension_in_script() == Some(extension) {
        return Ok(None);
    }
    let format = of_database()?;
    if format == FORMAT {
        return Ok(None);
    }
    let installed = guc::with_settings(&[], || {
        spi::connect(|c| {
            c.query_one(include_str!("version.sql"), Access::Read, &[Arg::new(extension)], |row| {
                row.require::<String>(1)
            })
        })
    })?;
    Ok(Some(differs(&installed.unwrap_or_default(), format)))
}

/// What kb_rag.format() returns. As the owner of the catalog: the privilege on the function may have been revoked.
fn of_database() -> Result<i32> {
    let owner = owner()?;
    role::switch_to(owner, || {
        spi::connect(|c| {
            c.query_one(include_str!("database_format.sql"), Access::Read, &[], |row| row.require::<i32>(1))
        })
    })?
    .ok_or_else(|| Error::internal("kb_rag.format() returned no row"))
}

fn differs(installed: &str, format: i32) -> Error {
    let error = Error::not_ready(format!(
        "kb_rag library is version {LIBRARY}, but the extension in this database is version {installed}"
    ));
    error.hint(if FORMAT > format {
        "Run ALTER EXTENSION kb_rag UPDATE in this database.".to_string()
    } else {
        format!(
            "Reconnect to load the library again; if that does not help, install the library of kb_rag {installed}."
        )
    })
}
