//! Arguments without a default, which need a value. For an argument that has one, NULL means the default.

use crate::error::{Error, Result};

/// The value of an argument. 22004 when it is NULL.
pub fn required<T>(value: Option<T>, name: &str) -> Result<T> {
    value.ok_or_else(|| Error::null(name))
}
