//! HTTP for a PostgreSQL backend.
//!
//! [`post`] sends one request and takes its whole answer. It starts no thread, reads no environment, follows
//! no redirect, uses no proxy, and keeps to one deadline. While it waits - for the name, the connection, TLS,
//! or bytes either way - it calls `check_interrupts` every 50 ms or so, and at once when a signal arrives. That call
//! may unwind; then the connection in use is closed and nothing else is lost.
//!
//! Connections are kept alive for the next call, in this thread only. Never call [`post`] from `check_interrupts`.
#![forbid(unsafe_code)]

mod address;
mod call;
mod connect;
mod dns;
mod exchange;
mod names;
mod socket;
mod tls;
mod url;

use std::fmt;
use std::rc::Rc;
use std::time::Duration;

pub use address::{NoAddress, address_of_host};
pub use names::Names;

/// One POST request.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// An http or https URL without user name or password.
    pub url: &'a str,
    /// Headers beside those that frame the message: host, content-length, accept-encoding and their like are
    /// set here and refused from the caller.
    pub headers: &'a [(String, String)],
    /// What to send.
    pub body: &'a [u8],
    /// From the call to the last byte of the answer.
    pub timeout: Duration,
    /// For finding the address, connecting and TLS together; [`Error::Unreachable`] when it is up.
    pub connect_timeout: Duration,
    /// The most bytes an answer may have after decompression.
    pub body_limit: u64,
    /// Whether addresses of this host and its networks may be reached.
    pub private_addresses: PrivateAddresses,
    /// PEM certificates to trust besides Mozilla's.
    pub certificates: Option<&'a [u8]>,
}

/// Whether to connect to addresses that are not of the public internet: loopback, private, link-local,
/// metadata services, and IPv6 forms of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrivateAddresses {
    /// Connect to them like to others.
    Allowed,
    /// Leave them out; [`Error::PrivateAddress`] when no other is left.
    Refused,
}

/// A complete answer, whatever its status; redirects too.
#[derive(Clone, PartialEq, Eq)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// Names are in lower case; those of an encoding that was undone are left out.
    pub headers: Vec<(String, String)>,
    /// The body, decompressed.
    pub body: Vec<u8>,
}

/// Why there is no answer. Neither its text nor its fields hold a header or the query of the URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The URL or a header cannot be sent. Nothing went out.
    BadUrl(String),
    /// No host, no connection or no TLS.
    Unreachable(String),
    /// The connection ended before a byte of an answer.
    NoAnswer(String),
    /// The answer was not complete after this time.
    TimedOut(Duration),
    /// The answer broke off or is not HTTP.
    Broken(String),
    /// The answer is longer than this many bytes.
    TooLarge(u64),
    /// All addresses of the host are private, and those are refused.
    PrivateAddress(String),
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::BadUrl(why) => write!(out, "cannot send the request: {why}"),
            Error::Unreachable(why) => write!(out, "could not reach {why}"),
            Error::NoAnswer(why) => write!(out, "no answer from {why}"),
            Error::TimedOut(timeout) => write!(out, "no complete answer within {timeout:?}"),
            Error::Broken(why) => write!(out, "unusable answer from {why}"),
            Error::TooLarge(limit) => write!(out, "the answer is longer than {limit} bytes"),
            Error::PrivateAddress(what) => write!(out, "not allowed to connect to {what}"),
        }
    }
}

impl std::error::Error for Error {}

/// Sends the request and returns the answer.
pub fn post(request: &Request, check_interrupts: fn()) -> Result<Response, Error> {
    exchange::post(request, check_interrupts, None)
}

/// Like [`post`], with another name service than the system's.
pub fn post_by_names(request: &Request, names: &Names, check_interrupts: fn()) -> Result<Response, Error> {
    exchange::post(request, check_interrupts, Some(Rc::new(names.clone())))
}

/// Closes the connections kept for later calls.
pub fn close_idle() {
    exchange::forget_agents();
}
