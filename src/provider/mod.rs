//! Providers of embedding models: where they are, whose they are, who may use them and what that costs.

mod endpoint;
mod grant;
mod headers;
mod keys;
mod list;
mod row;
mod set;
pub mod usage;

pub use grant::{grant, revoke};
pub use keys::{drop_secret, set_secret};
pub use list::list;
pub use row::Provider;
pub use set::{Changes, drop_provider, set};

use crate::error::{Error, Result};
use crate::role;
use crate::spi::{self, Access};
use keys::KeyReference;

/// Names of models that are no provider's.
const RESERVED: [&str; 2] = ["local", "fake"];

/// Where a name stands in a message.
fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

/// 22023 unless `name` can name a provider or a secret.
fn check_name(what: &str, name: &str) -> Result<()> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    if (1..=63).contains(&name.len()) && name.bytes().all(plain) {
        return Ok(());
    }
    Err(Error::invalid(format!("the name of the {what} cannot be used"))
        .hint("Use 1 to 63 letters, digits, hyphens, underscores and dots."))
}

/// The provider of this name. 42704 when there is none.
pub fn require(name: &str, access: Access) -> Result<Provider> {
    Provider::find(name, access)?.ok_or_else(|| {
        Error::not_found(format!("provider {} does not exist", quoted(name)))
            .hint("SELECT name FROM kb_provider_list() shows the providers; kb_provider_set makes a new one.")
    })
}

/// Until the transaction ends nobody else changes providers, grants and secrets. Who reads them does not wait.
fn lock() -> Result<()> {
    role::as_catalogue_owner(|| spi::connect(|c| c.run(include_str!("lock.sql"))))
}
