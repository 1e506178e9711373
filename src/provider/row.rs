//! A provider as stored in the catalog.

use std::time::Duration;

use kb_rag_core::provider::{Kind, Limits};
use pgrx::pg_sys;

use super::endpoint::Endpoint;
use super::headers::{self, HeaderValue, OF_EVERY_CALL, with_scheme};
use super::keys::KeyReference;
use super::kind::ProviderKind;
use super::quoted;
use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::jsonb::Jsonb;
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Arg, Planning, Row};
use crate::settings;

/// Names in lower case, with their values.
pub type Headers = Vec<(String, String)>;

const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);

/// A provider.
#[derive(Clone, Debug)]
pub struct Provider {
    pub name: String,
    /// Whether it was installed with the extension.
    pub is_builtin: bool,
    pub kind: ProviderKind,
    pub(super) endpoint: Endpoint,
    pub(super) api_key: Option<KeyReference>,
    pub(super) headers: Vec<(String, HeaderValue)>,
    /// The time limit of one call.
    pub timeout: Duration,
    pub batch_items: Option<i32>,
    pub batch_tokens: Option<i32>,
    pub batch_bytes: Option<i32>,
    pub price_per_million: Option<f64>,
    pub owner: String,
    /// Roles with a grant on it; `public` means all roles.
    pub(super) granted: Vec<String>,
}

impl Provider {
    fn from_row(row: &Row) -> Result<Provider> {
        let name: String = row.require_named("name")?;
        let damaged = || {
            Error::not_ready(format!("the row of provider {} is damaged", quoted(&name)))
                .hint("A superuser can correct it in kb_rag.provider, or delete it there.")
        };
        let kind = ProviderKind::parse(&row.require_named::<String>("kind")?).ok_or_else(damaged)?;
        let endpoint = match kind {
            ProviderKind::Web => Endpoint::of_web(),
            _ => Endpoint::stored(&row.require_named::<String>("base_url")?).map_err(|_| damaged())?,
        };
        Ok(Provider {
            is_builtin: row.require_named("builtin")?,
            kind,
            endpoint,
            api_key: match row.named::<String>("api_key")? {
                Some(reference) => Some(KeyReference::parse(&reference).map_err(|_| damaged())?),
                None => None,
            },
            headers: headers::read(&row.require_named::<Jsonb>("headers")?.flat()).map_err(|_| damaged())?,
            timeout: Duration::try_from_secs_f64(row.require_named("timeout")?).map_err(|_| damaged())?,
            batch_items: row.named("batch_items")?,
            batch_tokens: row.named("batch_tokens")?,
            batch_bytes: row.named("batch_bytes")?,
            price_per_million: row.named("price_per_million")?,
            owner: row.require_named("owner")?,
            granted: row.require_named("granted")?,
            name,
        })
    }

    /// A new provider without a key and without grants.
    pub(super) fn new(name: &str, kind: ProviderKind, endpoint: Endpoint, owner: String) -> Provider {
        Provider {
            name: name.to_string(),
            is_builtin: false,
            kind,
            endpoint,
            api_key: None,
            headers: Vec::new(),
            timeout: DEFAULT_TIMEOUT,
            batch_items: None,
            batch_tokens: None,
            batch_bytes: None,
            price_per_million: None,
            owner,
            granted: Vec::new(),
        }
    }

    /// The provider of this name: a user's row takes precedence over a built-in one. None if there is neither.
    pub fn find(name: &str, access: Access) -> Result<Option<Provider>> {
        Self::select("p.name = $1", access, || vec![Arg::new(name)])?.into_iter().next().transpose()
    }

    /// All providers by name, without built-in rows that a user's row replaces.
    pub(super) fn all() -> Result<Vec<Provider>> {
        let rows = Self::select("true", Access::Read, Vec::new)?;
        // One damaged row must not hide the other providers.
        let mut all: Vec<Provider> = Vec::with_capacity(rows.len());
        for row in rows {
            match row {
                Ok(provider) => all.push(provider),
                Err(error) => error.warn("the provider is omitted"),
            }
        }
        all.dedup_by(|later, earlier| later.name == earlier.name);
        Ok(all)
    }

    fn select(
        condition: &str,
        access: Access,
        args: impl FnOnce() -> Vec<Arg>,
    ) -> Result<Vec<Result<Provider>>> {
        let sql = spi::render(include_str!("select.sql"), &[("condition", condition)]);
        catalog::connect(|c| {
            c.query(&sql, access, Planning::Generic, &args(), |row| Ok(Provider::from_row(row)))
        })
    }

    /// The URL that calls go to.
    pub fn base_url(&self) -> String {
        self.endpoint.url()
    }

    /// The headers of a call, including the key, and those of their values that are secret.
    pub fn headers(&self) -> Result<(Headers, Vec<String>)> {
        self.headers_of(self.api_key.as_ref().map(|reference| self.resolve(reference)).transpose()?)
    }

    /// The same with another key.
    pub fn headers_with(&self, key: String) -> Result<(Headers, Vec<String>)> {
        self.headers_of(Some(key))
    }

    fn headers_of(&self, key: Option<String>) -> Result<(Headers, Vec<String>)> {
        let auth = key.as_ref().map(|key| self.kind.auth_header(key));
        let mut headers = Vec::new();
        let mut secrets = Vec::new();
        for (name, value) in &self.headers {
            if auth.as_ref().is_some_and(|(auth, _)| auth == name) {
                continue;
            }
            let value = match value {
                HeaderValue::Text(text) => text.clone(),
                HeaderValue::Key { scheme, reference } => {
                    let key = self.resolve(reference)?;
                    let value = with_scheme(scheme.as_deref(), &key);
                    secrets.push(key);
                    value
                }
            };
            // A value may be a key, or one after a word: "Bearer sk-…". No key is as short as "Bearer" or "Basic", which
            // messages may contain.
            let words = value.split_whitespace().chain([value.as_str()]);
            secrets.extend(words.filter(|word| word.len() >= 8).map(str::to_string));
            headers.push((name.clone(), value));
        }
        headers.extend(auth.map(|(name, value)| (name.to_string(), value)));
        secrets.extend(key);
        // The longest first, so that replacing one does not hide a part of another.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        if self.kind != ProviderKind::Web {
            headers.extend(OF_EVERY_CALL.map(|name| (name.to_string(), "application/json".to_string())));
        }
        Ok((headers, secrets))
    }

    /// The references to its keys: the key of calls, and those of headers.
    pub(super) fn references(&self) -> impl Iterator<Item = &KeyReference> {
        self.api_key.iter().chain(self.headers.iter().filter_map(|(_, value)| value.reference()))
    }

    /// A key. Only a superuser's provider may send keys of the server itself.
    fn resolve(&self, reference: &KeyReference) -> Result<String> {
        if reference.is_of_server() && !self.is_of_superuser() {
            return Err(Error::denied(format!(
                "provider {} may not use a key of the server",
                quoted(&self.name)
            ))
            .hint("Its owner is not a superuser: store the key with kb_secret_set.")
            .of_provider());
        }
        let is_api_key = self.api_key.as_ref() == Some(reference);
        reference.resolve(&self.name, &self.owner, &self.endpoint, is_api_key)
    }

    /// Whether only superusers can have written it.
    pub fn is_of_superuser(&self) -> bool {
        self.is_builtin || role::find(&self.owner).is_some_and(role::is_superuser)
    }

    /// Whether `role` trusts it with texts: its owner is a superuser, the role itself, or a role that it belongs to.
    pub fn is_trusted_by(&self, role: pg_sys::Oid) -> bool {
        let is_own =
            |owner| owner == role || (!role::is_superuser(role) && role::has_privileges(role, owner));
        self.is_of_superuser() || role::find(&self.owner).is_some_and(is_own)
    }

    /// The kind of a service that embeds. 22023 for one that fetches.
    pub fn embedding(&self) -> Result<Kind> {
        self.kind.embedding().ok_or_else(|| {
            Error::invalid(format!("provider {} does not embed", quoted(&self.name)))
                .detail(format!("It is of kind {}, which has no models.", self.kind.name()))
                .hint(
                    "Use a model of another provider: SELECT name, kind FROM kb_provider_list() lists them.",
                )
        })
    }

    /// The kind of a service with chat models. 22023 for another one.
    pub fn chat(&self) -> Result<Kind> {
        self.kind.chat().ok_or_else(|| {
            Error::invalid(format!("provider {} has no chat models", quoted(&self.name)))
                .detail(format!("It is of kind {}.", self.kind.name()))
                .hint("Chat models are those of providers of kind openai, whose protocol many servers speak, or ollama.")
        })
    }

    /// The providers of search endpoints at this origin, by name.
    pub fn external_at(origin: &str) -> Result<Vec<Provider>> {
        let endpoint = Endpoint::parse_origin(origin)?;
        let mut found = Self::all()?;
        found.retain(|provider| {
            provider.kind == ProviderKind::External && provider.endpoint.origin() == endpoint.origin()
        });
        Ok(found)
    }

    /// A secret of `role` for calls of this provider. 42704 if there is none, 42501 if it is bound to another origin or not the
    /// role's.
    pub fn secret_of(&self, role: pg_sys::Oid, name: &str) -> Result<String> {
        super::keys::secret_of(role, name, &self.endpoint)
    }

    /// Whether it may reach loopback, private and link-local addresses. Pages choose the addresses of the web.
    pub fn may_reach_private(&self) -> bool {
        self.kind != ProviderKind::Web
            && (self.is_of_superuser() || settings::is_allowed_host(&self.endpoint.address()))
    }

    /// 42501 if its address is certainly private, which it may not reach.
    pub fn require_reachable(&self) -> Result<()> {
        if self.may_reach_private() || !kb_rag_http::is_private_host(self.endpoint.host()) {
            return Ok(());
        }
        Err(Error::denied(format!("provider {} has a private address", quoted(&self.name)))
            .hint(format!(
                "Its owner is not a superuser; superusers can add {} to kb_rag.allowed_hosts.",
                self.endpoint.address()
            ))
            .of_provider())
    }

    /// The limits of one call for this model.
    pub fn limits(&self, kind: Kind, model: &str) -> Limits {
        let known = kind.limits(model);
        let set = |limit: Option<i32>| limit.and_then(|n| usize::try_from(n).ok());
        Limits {
            items: set(self.batch_items).unwrap_or(known.items),
            tokens: set(self.batch_tokens).or(known.tokens),
            bytes: set(self.batch_bytes).unwrap_or(known.bytes),
            ..known
        }
    }

    /// The price of a million tokens of this model, if known: the price set for the provider, otherwise the list price
    /// if the URL is that of the service itself.
    pub fn price_of(&self, kind: Kind, model: &str) -> Option<f64> {
        let listed = || {
            let itself = Endpoint::parse(kind.default_base_url()).ok()?;
            let price = kind.facts(model).price_per_million?;
            (itself.origin() == self.endpoint.origin()).then_some(price)
        };
        self.price_per_million.or_else(listed)
    }

    /// Whether `role` owns it: the role has the privileges of the owner.
    pub fn is_owned_by(&self, role: pg_sys::Oid) -> bool {
        role::has_privileges_of_named(role, &self.owner)
    }

    /// 42501 unless the caller owns it.
    pub(super) fn require_owner(&self) -> Result<()> {
        if self.is_owned_by(role::current_role()) {
            return Ok(());
        }
        Err(Error::denied(format!("must be owner of provider {}", quoted(&self.name)))
            .hint(format!("Ask role {}, which owns it.", quoted(&self.owner))))
    }

    /// Whether `role` may send texts to it, which may cost money: as its owner, or by a grant.
    pub fn may_use(&self, role: pg_sys::Oid) -> bool {
        let is_granted = |name: &String| {
            name == "public" || role::find(name).is_some_and(|of| role::has_privileges(role, of))
        };
        self.is_owned_by(role) || self.granted.iter().any(is_granted)
    }
}
