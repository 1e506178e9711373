//! Keys: where they are stored, and which provider may send them to which origin.

use std::path::Path;

use pgrx::pg_sys;

use super::endpoint::Endpoint;
use super::{check_name, quoted};
use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Arg, Planning};

/// A longer text is not a key.
const MAX_BYTES: usize = 8192;

/// Where a key is stored. Never the key itself, so that a row may be shown and dumped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyReference {
    /// A variable in the server's environment.
    Environment(String),
    /// A file on the server.
    File(String),
    /// A secret stored by kb_secret_set under this name.
    Secret(String),
}

impl KeyReference {
    /// 22023 unless `env:NAME`, `file:/path` or `secret:name`. Any other text may be a key, so it is never quoted.
    pub fn parse(text: &str) -> Result<KeyReference> {
        KeyReference::read(text).ok_or_else(|| {
            Error::invalid("api_key is not a valid key reference").hint(
                "Store the key with kb_secret_set and use secret:name; superusers can also use env:NAME or file:/path.",
            )
        })
    }

    /// The same; None for any other text.
    pub fn read(text: &str) -> Option<KeyReference> {
        match text.split_once(':') {
            Some(("env", name)) if is_variable(name) => Some(KeyReference::Environment(name.to_string())),
            Some(("file", path)) if Path::new(path).is_absolute() => {
                Some(KeyReference::File(path.to_string()))
            }
            Some(("secret", name)) if check_name("secret", name).is_ok() => {
                Some(KeyReference::Secret(name.to_string()))
            }
            _ => None,
        }
    }

    /// The reference as users write it.
    pub fn text(&self) -> String {
        match self {
            KeyReference::Environment(name) => format!("env:{name}"),
            KeyReference::File(path) => format!("file:{path}"),
            KeyReference::Secret(name) => format!("secret:{name}"),
        }
    }

    /// Whether it is a secret of the server itself, which only superusers may send to a provider.
    pub fn is_of_server(&self) -> bool {
        !matches!(self, KeyReference::Secret(_))
    }

    /// The key, for requests to `endpoint` by a provider of `owner`. 55000 if there is none, 42501 for a secret that is
    /// bound to another origin or has another owner.
    /// `is_api_key`: it is the provider's key, and not that of a header.
    pub fn resolve(
        &self,
        provider: &str,
        owner: &str,
        endpoint: &Endpoint,
        is_api_key: bool,
    ) -> Result<String> {
        let missing =
            |what: String| Error::not_ready(format!("provider {} has no key: {what}", quoted(provider)));
        let key = match self {
            KeyReference::Environment(name) => std::env::var(name).map_err(|_| {
                missing(format!("the server's environment has no variable {}", quoted(name)))
                    .hint(if is_api_key {
                        instead_of_variable(provider, endpoint)
                    } else {
                        "Set the variable where the server is started.".to_string()
                    })
            })?,
            KeyReference::File(path) => read_file(path).map_err(|error| {
                missing("its file cannot be read".to_string())
                    .detail(error.to_string())
                    .hint("The operating system user of the server must be able to read it; kb_provider_list() shows its path to the owner of the provider.")
            })?,
            KeyReference::Secret(name) => secret(name, provider, owner, endpoint)?.ok_or_else(|| {
                missing(format!("secret {} does not exist", quoted(name)))
                    .hint("Store it with kb_secret_set; dumps leave secrets out.")
            })?,
        };
        let key = key.trim_end_matches(['\r', '\n']);
        if is_key(key) {
            return Ok(key.to_string());
        }
        Err(missing(format!("{} does not contain a valid key", self.kind()))
            .detail(format!("A key is 1 to {MAX_BYTES} visible ASCII characters.")))
    }

    /// Notifies of a secret that does not exist, with the call that stores it for `endpoint`.
    pub fn notify_if_missing(&self, endpoint: &Endpoint) -> Result<()> {
        let KeyReference::Secret(name) = self else { return Ok(()) };
        if find(name, Access::Latest)?.is_none() {
            let [literal, origin] = [name.as_str(), &endpoint.origin()].map(spi::quote_literal);
            Error::remark(format!("secret {} does not exist yet", quoted(name)))
                .hint(format!("Store it with kb_secret_set({literal}, KEY, {origin})."))
                .notify();
        }
        Ok(())
    }

    fn kind(&self) -> &'static str {
        match self {
            KeyReference::Environment(_) => "the variable",
            KeyReference::File(_) => "the file",
            KeyReference::Secret(_) => "the secret",
        }
    }
}

/// The hint for a missing variable. Its calls give the provider a stored key instead, without a restart of the server.
fn instead_of_variable(provider: &str, endpoint: &Endpoint) -> String {
    let secret = KeyReference::Secret(provider.to_string()).text();
    let [name, origin, secret] = [provider, &endpoint.origin(), &secret].map(spi::quote_literal);
    format!(
        "Set the variable where the server is started, or keep the key here: SELECT kb_secret_set({name}, KEY, {origin}) and \
         SELECT kb_provider_set({name}, api_key => {secret})."
    )
}

fn is_variable(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Whether a header can carry the text.
fn is_key(key: &str) -> bool {
    (1..=MAX_BYTES).contains(&key.len()) && key.bytes().all(|b| (b'!'..=b'~').contains(&b))
}

/// The text of a regular file: a pipe could block the backend.
fn read_file(path: &str) -> std::io::Result<String> {
    let about = std::fs::metadata(path)?;
    if !about.is_file() || about.len() > MAX_BYTES as u64 + 2 {
        return Err(std::io::Error::other("not a small ordinary file"));
    }
    std::fs::read_to_string(path)
}

/// A secret, if a provider of `owner` may send it to `endpoint`.
fn secret(name: &str, provider: &str, owner: &str, endpoint: &Endpoint) -> Result<Option<String>> {
    let Some(secret) = find(name, Access::Read)? else { return Ok(None) };
    // A superuser may have written the row with the address in another form.
    let is_origin = Endpoint::stored(&secret.origin).is_ok_and(|origin| origin.origin() == endpoint.origin());
    if secret.owner == owner && is_origin {
        return Ok(Some(secret.value));
    }
    // Where the secret goes is told only to its owner.
    let detail = if secret.owner == owner && role::has_privileges_of_named(role::current_role(), owner) {
        let (secret_origin, origin) = (&secret.origin, endpoint.origin());
        format!("Secret {} is for {secret_origin}, but the provider is at {origin}.", quoted(name))
    } else {
        "A secret is sent only to its origin, and only by providers of its owner.".to_string()
    };
    Err(Error::denied(format!("provider {} may not use secret {}", quoted(provider), quoted(name)))
        .detail(detail)
        .hint("Set a secret for the origin of this provider with kb_secret_set.")
        .of_provider())
}

/// A secret of `role`, or of a role that it is a member of, for requests to `endpoint`. 42704 if there is none of this name, 42501
/// if it may not be sent there.
pub fn secret_of(role: pg_sys::Oid, name: &str, endpoint: &Endpoint) -> Result<String> {
    let Some(secret) = find(name, Access::Read)? else {
        let [literal, origin] = [name, &endpoint.origin()].map(spi::quote_literal);
        return Err(Error::not_found(format!("secret {} does not exist", quoted(name)))
            .hint(format!("Store it with kb_secret_set({literal}, KEY, {origin}).")));
    };
    let is_origin = Endpoint::stored(&secret.origin).is_ok_and(|origin| origin.origin() == endpoint.origin());
    // A superuser has the privileges of all roles, which trust it with less than their keys.
    let is_own = role::find(&secret.owner).is_some_and(|owner| {
        owner == role || (!role::is_superuser(role) && role::has_privileges(role, owner))
    });
    if is_origin && is_own && is_key(&secret.value) {
        return Ok(secret.value);
    }
    let error = Error::denied(format!("secret {} cannot be sent to {}", quoted(name), endpoint.origin()));
    Err(match is_own {
        true => error
            .detail(format!("It is for {}.", secret.origin))
            .hint("Set a secret for this origin with kb_secret_set."),
        false => error
            .detail(format!("It belongs to role {}.", quoted(&secret.owner)))
            .hint("Store the key under another name as this role, or make this role a member of the owner."),
    })
}

struct Secret {
    value: String,
    origin: String,
    owner: String,
}

fn find(name: &str, access: Access) -> Result<Option<Secret>> {
    catalog::connect(|c| {
        c.query_one(include_str!("find_secret.sql"), access, &[Arg::new(name)], |row| {
            Ok(Secret { value: row.require(1)?, origin: row.require(2)?, owner: row.require(3)? })
        })
    })
}

/// Stores a key under a name, to be sent only to `origin`, by providers of the current role. Returns the providers that
/// refer to it.
pub fn set_secret(name: Option<&str>, value: Option<&str>, origin: Option<&str>) -> Result<Vec<String>> {
    guc::concealing_statement(|| {
        let name = name.ok_or_else(|| Error::null("name"))?;
        let value = value.ok_or_else(|| Error::null("value"))?;
        let origin = origin.ok_or_else(|| Error::null("origin"))?;
        check_name("secret", name)?;
        if !is_key(value) {
            return Err(Error::invalid("the value of the secret is not a valid key")
                .detail(format!("A key is 1 to {MAX_BYTES} visible ASCII characters.")));
        }
        let endpoint = Endpoint::parse_origin(origin)?;
        super::lock()?;
        let owner = match find(name, Access::Latest)? {
            Some(secret) => {
                require_owner(name, &secret.owner)?;
                secret.owner
            }
            None => role::role_name(role::current_role())?,
        };
        catalog::as_owner(|| {
            let args = || [name, value, &endpoint.origin(), &owner].map(Arg::new);
            spi::connect(|c| {
                c.execute(include_str!("write_secret.sql"), &args())?;
                let of_secret = include_str!("providers_of_secret.sql");
                c.query(of_secret, Access::Write, Planning::Auto, &[Arg::new(name)], |row| row.require(1))
            })
        })
    })
}

/// Removes a secret. Providers that refer to it have no key then.
pub fn drop_secret(name: &str) -> Result<()> {
    super::lock()?;
    let secret = find(name, Access::Latest)?.ok_or_else(|| {
        Error::not_found(format!("secret {} does not exist", quoted(name)))
            .hint("A superuser can list secrets: SELECT name, origin, owner FROM kb_rag.secret.")
    })?;
    require_owner(name, &secret.owner)?;
    catalog::connect(|c| c.execute(include_str!("delete_secret.sql"), &[Arg::new(name)]).map(drop))
}

fn require_owner(name: &str, owner: &str) -> Result<()> {
    if role::has_privileges_of_named(role::current_role(), owner) {
        return Ok(());
    }
    Err(Error::denied(format!("must be owner of secret {}", quoted(name)))
        .hint(format!("Ask role {}, which owns it.", quoted(owner))))
}
