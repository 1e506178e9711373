//! Setting up, changing and removing providers.

use std::time::Duration;

use kb_rag_core::model_name::ModelName;
use pgrx::JsonB;
use pgrx::datum::Interval;
use serde_json::Value;

use super::endpoint::Endpoint;
use super::headers::HeaderValue;
use super::keys::KeyReference;
use super::kind::ProviderKind;
use super::{Provider, check_name, grant, headers, lock, quoted};
use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Arg, Planning};

/// The headers of requests for pages that a user may set.
const WEB_HEADERS: [&str; 3] = ["user-agent", "accept-language", "from"];
const MAX_TIMEOUT: Duration = Duration::from_secs(3600);
/// At most this many knowledge bases are named in a warning.
const MAX_NAMED: usize = 10;

/// The requested changes; None leaves a setting unchanged.
#[derive(Default)]
pub struct Changes<'a> {
    pub kind: Option<&'a str>,
    pub base_url: Option<&'a str>,
    /// A reference; empty for none.
    pub api_key: Option<&'a str>,
    pub headers: Option<Value>,
    /// In seconds.
    pub timeout: Option<f64>,
    pub batch_items: Option<i32>,
    pub batch_tokens: Option<i32>,
    pub batch_bytes: Option<i32>,
    pub price_per_million: Option<f64>,
}

/// Creates a provider, which the current role owns, or changes one. A built-in row stays as it is: a row with its
/// settings is added, which takes precedence over it.
pub fn set(name: Option<&str>, changes: &Changes) -> Result<()> {
    // A text meant as a reference may be a key itself, and headers may contain one.
    guc::concealing_statement(|| {
        let name = name.ok_or_else(|| Error::null("name"))?;
        check_name("provider", name)?;
        if ModelName::BUILT_IN.contains(&name) {
            return Err(Error::invalid(format!("provider name {} is reserved", quoted(name))));
        }
        lock()?;
        let before = Provider::find(name, Access::Latest)?;
        let mut provider = match before {
            Some(provider) => {
                provider.require_owner()?;
                provider
            }
            None => new(name, changes)?,
        };
        if provider.is_builtin {
            provider.is_builtin = false;
            provider.owner = role::role_name(role::current_role())?;
        }
        provider.change(changes)?;
        provider.check_key()?;
        provider.write()?;
        provider.notify_of_missing_secrets(changes)
    })
}

/// A new provider with the default settings of its kind; by default its name is the kind.
fn new(name: &str, changes: &Changes) -> Result<Provider> {
    let kind = match changes.kind {
        Some(kind) => kind_named(kind)?,
        None => ProviderKind::parse(name).ok_or_else(|| Error::null("kind").hint(kinds()))?,
    };
    let role = role::current_role();
    // Bases may refer to a dropped provider of this name: texts of other roles must not be sent elsewhere.
    if bases_of(name)?.iter().any(|base| !role::has_privileges_of_named(role, &base.owner)) {
        return Err(Error::denied(format!(
            "knowledge bases of other roles use models of provider {}",
            quoted(name)
        ))
        .hint("Choose another name, or ask a superuser to create the provider."));
    }
    let endpoint = match (kind.default_base_url(), changes.base_url) {
        (Some(url), _) => Endpoint::parse(url)?,
        (None, None) if kind == ProviderKind::External => {
            return Err(Error::null("base_url").hint("Give scheme, host and port of the search endpoint."));
        }
        (None, _) => Endpoint::of_web(),
    };
    Ok(Provider::new(name, kind, endpoint, role::role_name(role)?))
}

fn kind_named(name: &str) -> Result<ProviderKind> {
    ProviderKind::parse(name)
        .ok_or_else(|| Error::invalid(format!("unrecognized provider kind {}", quoted(name))).hint(kinds()))
}

fn kinds() -> String {
    format!("Valid values are {}.", ProviderKind::names().collect::<Vec<_>>().join(", "))
}

/// Removes a provider with its grants. A built-in one of the same name applies again, without grants.
pub fn drop_provider(name: &str) -> Result<()> {
    lock()?;
    let provider = super::require(name, Access::Latest)?;
    provider.require_owner()?;
    if provider.is_builtin {
        return Err(Error::invalid(format!("provider {} is built in and cannot be dropped", quoted(name)))
            .hint("Only roles with a grant can use it; kb_provider_revoke removes a grant."));
    }
    catalog::connect(|c| {
        c.execute(include_str!("delete.sql"), &[Arg::new(name)])?;
        forget_queries(c, name)
    })?;
    grant::forget(name)?;
    warn_of_bases(name)
}

/// Warns of bases that used a dropped provider. Only those of roles whose privileges the caller has are named.
fn warn_of_bases(name: &str) -> Result<()> {
    let bases = bases_of(name)?;
    if bases.is_empty() {
        return Ok(());
    }
    let role = role::current_role();
    let is_embedding = bases.iter().any(|base| base.is_embedded);
    let (own, others): (Vec<_>, Vec<_>) =
        bases.into_iter().partition(|base| role::has_privileges_of_named(role, &base.owner));
    let mut shown: Vec<String> = own.iter().take(MAX_NAMED).map(|base| quoted(&base.name)).collect();
    let others_count = others.len() + own.len() - shown.len();
    if others_count > 0 {
        shown.push(format!("{others_count} more"));
    }
    let is_back = Provider::find(name, Access::Latest)?.is_some();
    let (then, hint) = if is_back {
        (
            "the built-in one is used again",
            "Grant it again with kb_provider_grant where it is needed, and check its key with kb_provider_test.",
        )
    } else if !is_embedding {
        (
            "without it their documents are not summarized",
            "Set the provider up again with kb_provider_set, or change their summaries with kb_configure.",
        )
    } else {
        (
            "without it they are searched by keyword only",
            "Set the provider up again with kb_provider_set, or change their model with kb_configure.",
        )
    };
    Error::warning(format!("knowledge bases use provider {}; {then}", quoted(name)))
        .detail(format!("Knowledge bases: {}.", shown.join(", ")))
        .hint(hint)
        .notify();
    Ok(())
}

/// Deletes cached query vectors of the provider's models, which may come from another model now.
fn forget_queries(c: &spi::Connection, name: &str) -> Result<()> {
    c.execute(include_str!("forget_queries.sql"), &[Arg::new(name)]).map(drop)
}

/// A knowledge base with a model of a provider.
struct Using {
    name: String,
    owner: String,
    /// Or only summarized by it.
    is_embedded: bool,
}

/// The knowledge bases with a model of the provider.
fn bases_of(name: &str) -> Result<Vec<Using>> {
    let sql = catalog::with_summaries(include_str!("bases_of.sql"));
    catalog::connect(|c| {
        c.query(&sql, Access::Latest, Planning::Auto, &[Arg::new(name)], |row| {
            Ok(Using { name: row.require(1)?, owner: row.require(2)?, is_embedded: row.require(3)? })
        })
    })
}

/// Whether a knowledge base has a model of the provider, which may not exist.
pub fn is_in_use(name: &str) -> Result<bool> {
    Ok(!bases_of(name)?.is_empty())
}

fn checked_timeout(seconds: f64) -> Result<Duration> {
    let timeout = Duration::try_from_secs_f64(seconds).ok();
    timeout
        .filter(|timeout| !timeout.is_zero() && *timeout <= MAX_TIMEOUT)
        .ok_or_else(|| Error::invalid("timeout is out of range").hint("Use more than 0 and at most 1 hour."))
}

fn checked_limit(argument: &str, limit: i32) -> Result<i32> {
    if limit < 1 {
        return Err(Error::invalid(format!("{argument} {limit} is out of range")).hint("Use 1 or more."));
    }
    Ok(limit)
}

fn checked_price(price: f64) -> Result<f64> {
    if !(price.is_finite() && price >= 0.0) {
        return Err(Error::invalid(format!("price_per_million {price} is out of range"))
            .hint("Use 0 or a positive number."));
    }
    Ok(price)
}

impl Provider {
    fn change(&mut self, changes: &Changes) -> Result<()> {
        if let Some(kind) = changes.kind {
            self.change_kind(kind_named(kind)?)?;
        }
        self.check_for_web(changes)?;
        if let Some(url) = changes.base_url {
            // The path of a search endpoint is that of the block which asks it.
            let endpoint = match self.kind {
                ProviderKind::External => Endpoint::parse_origin(url)?,
                _ => Endpoint::parse(url)?,
            };
            if endpoint.origin() != self.endpoint.origin() {
                self.check_move(changes)?;
            }
            self.endpoint = endpoint;
        }
        match changes.api_key {
            Some("") => self.api_key = None,
            Some(reference) => self.api_key = Some(KeyReference::parse(reference)?),
            None => {}
        }
        if let Some(json) = &changes.headers {
            self.headers = headers::parse(json)?;
            self.check_headers_for_web()?;
        }
        if let Some(seconds) = changes.timeout {
            self.timeout = checked_timeout(seconds)?;
        }
        if let Some(items) = changes.batch_items {
            self.batch_items = Some(checked_limit("batch_items", items)?);
        }
        if let Some(tokens) = changes.batch_tokens {
            self.batch_tokens = Some(checked_limit("batch_tokens", tokens)?);
        }
        if let Some(bytes) = changes.batch_bytes {
            self.batch_bytes = Some(checked_limit("batch_bytes", bytes)?);
        }
        if let Some(price) = changes.price_per_million {
            self.price_per_million = Some(checked_price(price)?);
        }
        Ok(())
    }

    fn change_kind(&mut self, kind: ProviderKind) -> Result<()> {
        let is_apart = |kind| matches!(kind, ProviderKind::Web | ProviderKind::External);
        if kind != self.kind && (is_apart(kind) || is_apart(self.kind)) {
            return Err(Error::invalid(format!(
                "provider {} of kind {} cannot become one of kind {}",
                quoted(&self.name),
                self.kind.name(),
                kind.name()
            ))
            .hint("Set up a provider of another name."));
        }
        self.kind = kind;
        Ok(())
    }

    /// 22023 for a URL or a key of the web: pages choose the addresses, and no key may go there.
    fn check_for_web(&self, changes: &Changes) -> Result<()> {
        if self.kind != ProviderKind::Web {
            return Ok(());
        }
        let given = [("base_url", changes.base_url), ("api_key", changes.api_key)];
        match given.into_iter().find(|(_, value)| value.is_some_and(|value| !value.is_empty())) {
            Some((argument, _)) => Err(Error::invalid(format!("a provider of kind web has no {argument}"))
                .hint("It fetches pages of any site. Its headers may set user-agent.")),
            None => Ok(()),
        }
    }

    /// 22023 for headers that would tell every site a secret.
    fn check_headers_for_web(&self) -> Result<()> {
        if self.kind != ProviderKind::Web {
            return Ok(());
        }
        let is_allowed = |(name, value): &&(String, HeaderValue)| {
            WEB_HEADERS.contains(&name.as_str()) && matches!(value, HeaderValue::Text(_))
        };
        match self.headers.iter().find(|header| !is_allowed(header)) {
            Some((name, _)) => Err(Error::invalid(format!(
                "header \"{name}\" of a provider of kind web cannot be set, or not to a key"
            ))
            .hint(format!("It is sent to every site. These can be set: {}.", WEB_HEADERS.join(", ")))),
            None => Ok(()),
        }
    }

    /// 22023 if a key of the server would be sent to another origin without being specified again.
    fn check_move(&self, changes: &Changes) -> Result<()> {
        let of_header = |value: &HeaderValue| value.reference().is_some_and(KeyReference::is_of_server);
        let argument =
            if changes.api_key.is_none() && self.api_key.as_ref().is_some_and(KeyReference::is_of_server) {
                "api_key"
            } else if changes.headers.is_none() && self.headers.iter().any(|(_, value)| of_header(value)) {
                "headers"
            } else {
                return Ok(());
            };
        let none = if argument == "api_key" { "''" } else { "'{}'" };
        Err(Error::invalid(format!("the key of provider {} would be sent elsewhere", quoted(&self.name)))
            .hint(format!("Specify {argument} too: the same value, another one, or {none} for none.")))
    }

    /// Notifies of secrets that the changes refer to and that do not exist: the first call would fail.
    fn notify_of_missing_secrets(&self, changes: &Changes) -> Result<()> {
        let given = self.api_key.iter().filter(|_| changes.api_key.is_some());
        let in_headers = self.headers.iter().filter(|_| changes.headers.is_some());
        for reference in given.chain(in_headers.filter_map(|(_, value)| value.reference())) {
            reference.notify_if_missing(&self.endpoint)?;
        }
        Ok(())
    }

    /// 42501 unless it may refer to its key: only superusers may send keys of the server itself to a provider. So no
    /// other role may change a row that refers to one, nor own it.
    fn check_key(&self) -> Result<()> {
        if !self.references().any(KeyReference::is_of_server) {
            return Ok(());
        }
        let only = |message: String| {
            Err(Error::denied(message).hint("Store the key with kb_secret_set and use secret:name."))
        };
        if !role::is_superuser(role::current_role()) {
            return only(format!(
                "must be superuser to send a key of the server to provider {}",
                quoted(&self.name)
            ));
        }
        if !role::find(&self.owner).is_some_and(role::is_superuser) {
            return only(format!("provider {} is not owned by a superuser", quoted(&self.name)));
        }
        Ok(())
    }

    fn write(&self) -> Result<()> {
        let headers: serde_json::Map<String, Value> =
            self.headers.iter().map(|(name, value)| (name.clone(), Value::from(value.text()))).collect();
        catalog::connect(|c| {
            let args = [
                Arg::new(self.name.as_str()),
                Arg::new(self.kind.name()),
                Arg::new(self.base_url()),
                Arg::new(self.api_key.as_ref().map(KeyReference::text)),
                Arg::new(JsonB(Value::Object(headers))),
                Arg::new(Interval::from_micros(self.timeout.as_micros() as i64)),
                Arg::new(self.batch_items),
                Arg::new(self.batch_tokens),
                Arg::new(self.batch_bytes),
                Arg::new(self.price_per_million),
                Arg::new(self.owner.as_str()),
            ];
            c.execute(include_str!("write.sql"), &args)?;
            forget_queries(c, &self.name)
        })
    }
}
