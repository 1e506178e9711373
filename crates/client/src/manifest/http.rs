//! Calls over HTTP: of a router, and of an endpoint of type external.

use std::env;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kb_rag_core::provider::{Fault, Kind, Reason, Refusal, redact};
use kb_rag_http::{Error, PrivateAddresses, Request, Response};

use crate::error::{Failure, Result};

/// The most time for establishing a connection.
const MAX_CONNECT_TIME: Duration = Duration::from_secs(10);

/// A service, and the key that it gets.
#[derive(Clone)]
pub struct Service {
    /// As messages name it.
    pub name: String,
    pub key: Option<String>,
}

impl Service {
    /// The answer to a POST request, whatever its status. No message contains the key.
    pub async fn post(
        &self,
        url: String,
        body: Vec<u8>,
        timeout: Duration,
        body_limit: u64,
    ) -> std::result::Result<Response, Refusal> {
        let mut headers = vec![("content-type".to_string(), "application/json".to_string())];
        headers.extend(self.key.as_ref().map(|key| ("authorization".to_string(), format!("Bearer {key}"))));
        // The client waits by itself and keeps its connections by thread.
        let call = tokio::task::spawn_blocking(move || {
            let certificates = url.starts_with("https:").then(certificates).flatten();
            let request = Request {
                url: &url,
                headers: &headers,
                body: &body,
                timeout,
                connect_timeout: timeout.min(MAX_CONNECT_TIME),
                slowest: None,
                body_limit,
                // The manifest is the user's own, and so is the network.
                private_addresses: PrivateAddresses::Allowed,
                certificates: certificates.as_deref(),
            };
            kb_rag_http::post(&request, || {})
        });
        let refusal = |reason, message| self.without_key(Refusal { reason, message, retry_after: None });
        match call.await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(refusal(reason_of(&error), error.to_string())),
            Err(_) => Err(refusal(Reason::Transient, "the call was ended".to_string())),
        }
    }

    /// The meaning of an answer with a status other than 200.
    pub fn refusal(&self, response: &Response) -> Refusal {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
        self.without_key(Kind::OpenAi.read_refusal(response.status, &response.headers, &response.body, now))
    }

    /// The meaning of an answer that cannot be read.
    pub fn fault(&self, fault: Fault) -> Refusal {
        self.without_key(fault.into())
    }

    fn without_key(&self, mut refusal: Refusal) -> Refusal {
        refusal.message = redact(refusal.message, self.key.as_slice());
        refusal
    }

    /// The failure for the user.
    pub fn failure(&self, refusal: Refusal) -> Failure {
        let hint = match refusal.reason {
            Reason::Unauthorized => Some("Check the key: the variable that api_key names."),
            Reason::NotFound => Some(
                "Check the name of the model, and the URL, which usually ends with the version, as in /v1.",
            ),
            Reason::Unreachable if refusal.message.contains("TLS") => Some(
                "The server must speak https and have a certificate that this machine trusts; SSL_CERT_FILE names others.",
            ),
            Reason::Unreachable => Some("Check the URL, and whether this machine can reach it."),
            _ => None,
        };
        Failure {
            detail: Some(refusal.message).filter(|message| !message.is_empty()),
            hint: hint.map(str::to_string),
            ..Failure::new(refusal.reason.clause(&self.name))
        }
    }
}

fn reason_of(error: &Error) -> Reason {
    match error {
        Error::BadUrl(_) => Reason::NotFound,
        Error::Unreachable(_) | Error::PrivateAddress(_) => Reason::Unreachable,
        Error::TimedOut(_) | Error::TooSlow(_) => Reason::TimedOut,
        Error::NoAnswer(_) => Reason::Transient,
        Error::Broken(_) => Reason::Broken,
        Error::TooLarge(_) => Reason::Nonsense,
    }
}

/// The certificates that the system trusts, as PEM; those of Mozilla are trusted besides.
fn certificates() -> Option<Vec<u8>> {
    let found = rustls_native_certs::load_native_certs().certs;
    let pem = found.iter().map(|certificate| {
        format!("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", STANDARD.encode(certificate))
    });
    Some(pem.collect::<String>().into_bytes()).filter(|pem| !pem.is_empty())
}

/// The value of an environment variable that a field names.
///
/// # Errors
/// Status 2 if it is not set.
pub fn variable(field: &str, name: &str) -> Result<String> {
    match env::var(name) {
        Ok(value) if !value.is_empty() => Ok(value),
        _ => Err(Failure::usage(format!(
            "{field} is ${{{name}}}, but the environment variable {name} is not set"
        ))
        .hint(format!("Set it for this program: {name}=… kb-rag …"))),
    }
}
