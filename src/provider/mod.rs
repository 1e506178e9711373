//! Providers, which embed texts or fetch pages: their addresses, owners, grants and usage.

mod endpoint;
mod grant;
mod headers;
mod keys;
mod kind;
mod list;
mod row;
mod set;
pub mod usage;

pub use grant::{Scope, grant, revoke};
pub use keys::{drop_secret, set_secret};
pub use kind::ProviderKind;
pub use list::list;
pub use row::{Headers, Provider};
pub use set::{Changes, drop_provider, is_in_use, set};

use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::spi::Access;
use keys::KeyReference;

/// A name as quoted in messages.
fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

/// 22023 unless `name` is a valid name of a provider or a secret.
fn check_name(what: &str, name: &str) -> Result<()> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    if (1..=63).contains(&name.len()) && name.bytes().all(plain) {
        return Ok(());
    }
    Err(Error::invalid(format!("{what} name is not valid"))
        .hint("Use 1 to 63 letters, digits, hyphens, underscores and dots."))
}

/// The provider of this name. 42704 when there is none.
pub fn require(name: &str, access: Access) -> Result<Provider> {
    Provider::find(name, access)?.ok_or_else(|| {
        Error::not_found(format!("provider {} does not exist", quoted(name)))
            .hint("SELECT name FROM kb_provider_list() lists the providers; kb_provider_set creates one.")
    })
}

/// Until the transaction ends no other session changes providers, grants and secrets. Readers do not wait.
fn lock() -> Result<()> {
    catalog::connect(|c| c.run(include_str!("lock.sql")))
}
