//! Settings and arguments that are one of a few names.

use crate::error::{Error, Result};

/// A value that SQL knows by its name.
pub trait Choice: Copy + 'static {
    /// What it is, in messages.
    const WHAT: &'static str;
    /// All values, in the order of the documentation.
    const ALL: &'static [Self];

    /// Its name in SQL.
    fn name(self) -> &'static str;

    /// Tells the names.
    fn hint() -> String {
        let names: Vec<&str> = Self::ALL.iter().map(|value| value.name()).collect();
        format!("Use one of: {}.", names.join(", "))
    }

    /// Why there is no value of this name.
    fn reason(_name: &str) -> &'static str {
        "is not known"
    }

    /// The value of this name. 22023 if there is none.
    fn from_name(name: &str) -> Result<Self> {
        Self::ALL.iter().copied().find(|value| value.name() == name).ok_or_else(|| {
            Error::invalid(format!("{} \"{name}\" {}", Self::WHAT, Self::reason(name))).hint(Self::hint())
        })
    }
}
