//! Bring the tables of an earlier version to this one.

use pgrx::pg_sys;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::adopt;
use crate::error::Result;
use crate::spi::{self, Access, Planning};
use crate::subtransaction;

/// Called by ALTER EXTENSION UPDATE from 0.2.0.
#[pg_extern(sql = false)]
fn convert_bases() -> std::result::Result<(), ErrorReport> {
    Ok(convert()?)
}

/// Converts all bases that are there. One that cannot be converted, as after its owner altered it, keeps the others from nothing.
fn convert() -> Result<()> {
    let schemas = spi::connect(|c| {
        c.query(include_str!("older_bases.sql"), Access::Write, Planning::Auto, &[], |row| {
            row.require::<String>(1)
        })
    })?;
    for schema in schemas {
        let converted = outside_of_script(|| subtransaction::attempt(|| adopt::take_over(&schema)));
        if let Err(error) = converted {
            error
                .hint(format!(
                    "Run SELECT kb_adopt({}) when the cause is fixed.",
                    spi::quote_literal(&schema)
                ))
                .warn(&format!("the tables in schema \"{schema}\" are not updated"));
        }
    }
    Ok(())
}

/// Objects that a script of an extension creates belong to the extension: these must not.
fn outside_of_script<T>(work: impl FnOnce() -> T) -> T {
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            // SAFETY: a variable of this process.
            unsafe { pg_sys::creating_extension = self.0 };
        }
    }
    // SAFETY: a variable of this process.
    let before = unsafe { pg_sys::creating_extension };
    let _restore = Restore(before);
    // SAFETY: as above.
    unsafe { pg_sys::creating_extension = false };
    work()
}
