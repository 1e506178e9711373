//! Checks a URL and splits it into its parts.

use ureq::http::Uri;
use ureq::http::uri::Scheme;

use crate::Error;
use crate::address::{NoAddress, address_of_host};

/// Accepts an http or https URL with a host and without a user name.
pub(crate) fn parse(url: &str) -> Result<Uri, Error> {
    let uri = Uri::try_from(url).map_err(|error| Error::BadUrl(format!("invalid URL: {error}")))?;
    let Some(authority) = uri.authority() else {
        return Err(Error::BadUrl("the URL has no host".to_owned()));
    };
    if uri.scheme() != Some(&Scheme::HTTP) && uri.scheme() != Some(&Scheme::HTTPS) {
        return Err(Error::BadUrl("the URL must begin with http:// or https://".to_owned()));
    }
    if authority.as_str().contains('@') {
        return Err(Error::BadUrl("the URL must not contain a user name".to_owned()));
    }
    if host(&uri).is_empty() || authority.as_str().ends_with(':') {
        return Err(Error::BadUrl("the URL has no valid host or port".to_owned()));
    }
    if address_of_host(host(&uri)) == Some(Err(NoAddress)) {
        return Err(Error::BadUrl("the host of the URL is a number but not an address".to_owned()));
    }
    Ok(uri)
}

/// The host, an IPv6 address without its brackets.
pub(crate) fn host(uri: &Uri) -> &str {
    uri.host().unwrap_or_default().trim_matches(['[', ']'])
}

/// Whether TLS is required.
pub(crate) fn is_https(uri: &Uri) -> bool {
    uri.scheme() == Some(&Scheme::HTTPS)
}

/// The port; the default depends on the scheme.
pub(crate) fn port(uri: &Uri) -> u16 {
    uri.port_u16().unwrap_or(if is_https(uri) { 443 } else { 80 })
}

/// Host and port as messages show them.
pub(crate) fn place(uri: &Uri) -> String {
    format!("{}:{}", uri.host().unwrap_or_default(), port(uri))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the URL standard leaves as it is. Links of pages have been through it.
    #[test]
    fn accepts_addresses_of_pages() {
        for url in [
            "http://example.org/a|b^c[d]e'(f)*!$&+,;=:@~-_.%7B%22",
            "http://example.org/?a|b^c[d]e`f{g}h\\i'j/k?l",
            "http://xn--bcher-kva.example:8080/%C3%BC",
            "https://a_b.example./",
            "http://[2606:4700::1111]/",
        ] {
            assert!(parse(url).is_ok(), "{url}: {:?}", parse(url).err());
        }
    }
}
