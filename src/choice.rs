//! Settings and arguments that are one of a few names.

use crate::error::{Error, Result};

/// A value that SQL knows by its name.
pub trait Choice: Copy + 'static {
    /// The name of the setting or argument, in messages.
    const WHAT: &'static str;
    /// All values, in the order of the documentation.
    const ALL: &'static [Self];

    /// Its name in SQL.
    fn name(self) -> &'static str;

    /// The names of all values, for statements and hints.
    fn names() -> Vec<String> {
        Self::ALL.iter().map(|value| value.name().to_string()).collect()
    }

    /// The value of this name. 22023 if there is none.
    fn from_name(name: &str) -> Result<Self> {
        Self::ALL.iter().copied().find(|value| value.name() == name).ok_or_else(|| {
            let message = format!("unrecognized {} \"{name}\"", Self::WHAT);
            Error::invalid(message).hint(format!("Valid values are {}.", Self::names().join(", ")))
        })
    }
}

/// The value of this name, or `otherwise` where none is given. 22023 for a name that no value has.
pub fn chosen<T: Choice>(name: Option<&str>, otherwise: T) -> Result<T> {
    name.map_or(Ok(otherwise), T::from_name)
}
