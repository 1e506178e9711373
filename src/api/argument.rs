//! Arguments that need a value.

use crate::error::{Error, Result};

/// The value of an argument. 22004 when it is NULL.
pub fn required<T>(value: Option<T>, name: &str) -> Result<T> {
    value.ok_or_else(|| Error::null(name))
}
