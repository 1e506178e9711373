//! Base URLs and origins, parsed strictly: the request must go to the address that was checked here.

use std::net::Ipv6Addr;

use kb_rag_http::{NoAddress, address_of_host};

use crate::error::{Error, Result};

const MAX_BYTES: usize = 2000;

/// Where a provider is reached: scheme, host, port and the beginning of the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    is_encrypted: bool,
    /// In lower case; an IPv6 address in brackets.
    host: String,
    port: u16,
    /// Empty, or beginning with a slash and not ending with one.
    path: String,
}

impl Endpoint {
    /// 22023 unless `text` is http or https, a host, an optional port and a plain path. User, password, query and
    /// fragment are refused: they could contain a key, or be read differently by the HTTP client.
    pub fn parse(text: &str) -> Result<Endpoint> {
        Self::checked(
            text,
            "Use only scheme, host, port and path, without a query, as in https://api.example.com/v1.",
        )
    }

    /// The same for an origin, which has no path: 22023 if it has one.
    pub fn parse_origin(text: &str) -> Result<Endpoint> {
        let endpoint = Self::checked(text, "Use scheme, host and port only, as in https://api.example.com.")?;
        if endpoint.path.is_empty() {
            return Ok(endpoint);
        }
        Err(Error::invalid(format!("origin \"{}\" has a path", endpoint.url()))
            .hint(format!("Use \"{}\".", endpoint.origin())))
    }

    fn checked(text: &str, hint: &str) -> Result<Endpoint> {
        let endpoint = Self::stored(text).map_err(|error| error.hint(hint))?;
        if address_of_host(&endpoint.host) == Some(Err(NoAddress)) {
            return Err(Error::invalid("the host of the URL is a number that is not an IPv4 address")
                .hint("Write an IPv4 address as four numbers up to 255, as in http://192.0.2.1:8080."));
        }
        Ok(endpoint)
    }

    /// That of a provider without a URL of its own, which fetches from any.
    pub fn of_web() -> Endpoint {
        Endpoint { is_encrypted: true, host: String::new(), port: 0, path: String::new() }
    }

    /// The same for a row, which a superuser may have written against these rules: the HTTP client never connects to what
    /// they forbid.
    pub fn stored(text: &str) -> Result<Endpoint> {
        Self::read(text).ok_or_else(|| {
            Error::invalid("the URL is not valid")
                .detail("The URL is not shown, because it may contain a secret.")
        })
    }

    fn read(text: &str) -> Option<Endpoint> {
        let (scheme, rest) = text.split_once("://")?;
        let is_encrypted = match scheme.to_ascii_lowercase().as_str() {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        if text.len() > MAX_BYTES {
            return None;
        }
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (host, port) = match authority.rfind(':') {
            Some(colon) if !authority.ends_with(']') => {
                (&authority[..colon], Some(authority[colon + 1..].to_string()))
            }
            _ => (authority, None),
        };
        let port = match port {
            Some(digits) if digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse().ok()?,
            Some(_) => return None,
            None if is_encrypted => 443,
            None => 80,
        };
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:%/".contains(&b);
        let path = path.trim_end_matches('/');
        (port != 0 && path.bytes().all(plain)).then_some(())?;
        Some(Endpoint { is_encrypted, host: host_of(host)?, port, path: path.to_string() })
    }

    /// Scheme, host and port in their normal form.
    pub fn origin(&self) -> String {
        let scheme = if self.is_encrypted { "https" } else { "http" };
        let usual = if self.is_encrypted { 443 } else { 80 };
        let port = if self.port == usual { String::new() } else { format!(":{}", self.port) };
        format!("{scheme}://{}{port}", self.host)
    }

    /// The host, in lower case; an IPv6 address in brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Host and port.
    pub fn address(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// Origin and path; empty for [`Endpoint::of_web`].
    pub fn url(&self) -> String {
        if self.host.is_empty() {
            return String::new();
        }
        format!("{}{}", self.origin(), self.path)
    }
}

/// A host in lower case: a name of ASCII letters, digits, dots, hyphens and underscores, or an address in its normal
/// form: `127.1` and `0x7f000001` become `127.0.0.1`.
fn host_of(text: &str) -> Option<String> {
    if let Some(address) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return address.parse::<Ipv6Addr>().ok().map(|address| format!("[{address}]"));
    }
    let label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
    };
    (text.len() <= 253 && text.split('.').all(label)).then(|| match address_of_host(text) {
        Some(Ok(address)) => address.to_string(),
        _ => text.to_ascii_lowercase(),
    })
}
