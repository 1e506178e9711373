//! HTTP for a PostgreSQL backend.
//!
//! [`post`] and [`get`] send one request and receive the whole answer. They start no thread, read no
//! environment, follow no redirect, use no proxy, and keep to one deadline. While they wait (for the name, the
//! connection, TLS, or bytes in either direction) they call `check_interrupts` about every 50 ms, and at once
//! when a signal arrives. That call may unwind; then the connection in use is closed and nothing else is
//! lost.
//!
//! Connections are kept alive for the next call, in this thread only, and only for calls with the same
//! certificates, name service and [`PrivateAddresses`]. Never call [`post`] or [`get`] from
//! `check_interrupts`.
#![forbid(unsafe_code)]

mod address;
mod call;
mod connect;
mod connection;
mod dns;
mod exchange;
mod fault;
mod names;
mod pace;
mod reach;
mod socket;
mod tls;
mod url;

use std::fmt;
use std::time::Duration;

use exchange::Method;

pub use address::{NoAddress, address_of_host, is_private_host};
pub use names::Names;

/// Headers that determine the target and the framing of a message, in lower case. Only the client itself sets them.
pub const FRAMING_HEADERS: [&str; 11] = [
    "host",
    "content-length",
    "content-encoding",
    "transfer-encoding",
    "accept-encoding",
    "connection",
    "keep-alive",
    "upgrade",
    "te",
    "trailer",
    "expect",
];

/// One request.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// An http or https URL without user name or password.
    pub url: &'a str,
    /// Additional headers, or others than the client's own `user-agent` and `accept`. [`FRAMING_HEADERS`] are
    /// rejected.
    pub headers: &'a [(String, String)],
    /// The body to send. [`get`] sends none, whatever it is.
    pub body: &'a [u8],
    /// The time from the call to the last byte of the answer.
    pub timeout: Duration,
    /// The time for the look-up, the connection and TLS together; [`Error::Unreachable`] if it is exceeded.
    pub connect_timeout: Duration,
    /// The slowest pace at which the answer may arrive, from its first byte on; [`Error::TooSlow`] if it is slower.
    pub slowest: Option<Slowest>,
    /// The most bytes in the answer after decompression.
    pub body_limit: u64,
    /// Whether addresses of this host and its networks may be connected to.
    pub private_addresses: PrivateAddresses,
    /// PEM certificates to trust in addition to Mozilla's.
    pub certificates: Option<&'a [u8]>,
}

/// A pace: this many bytes, as they are sent, within any time of this length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slowest {
    /// How many bytes.
    pub bytes: u64,
    /// Within which time.
    pub over: Duration,
}

/// Whether to connect to addresses outside the public internet: loopback, private, link-local, metadata
/// services, and IPv6 forms of these. What counts is the address that is connected to: a name is looked up
/// once for each connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrivateAddresses {
    /// Connect to them as to others.
    Allowed,
    /// Skip them; [`Error::PrivateAddress`] if no others remain.
    Refused,
}

/// A complete answer, whatever its status, even a redirect.
#[derive(Clone, PartialEq, Eq)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// Names are in lower case; those of a decoded encoding are omitted.
    pub headers: Vec<(String, String)>,
    /// The body, decompressed.
    pub body: Vec<u8>,
}

/// Why there is no answer. Neither the text nor the fields contain a header or the query of the URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The URL or a header cannot be sent. Nothing was sent.
    BadUrl(String),
    /// The host, the connection or TLS failed.
    Unreachable(String),
    /// The connection ended before a byte of an answer.
    NoAnswer(String),
    /// The answer was incomplete after this time.
    TimedOut(Duration),
    /// The answer arrived more slowly than this.
    TooSlow(Slowest),
    /// The answer ended early or is not HTTP.
    Broken(String),
    /// The answer is longer than this many bytes.
    TooLarge(u64),
    /// All addresses of the host are private, which is not allowed.
    PrivateAddress(String),
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::BadUrl(why) => write!(out, "could not send the request: {why}"),
            Error::Unreachable(why) => write!(out, "could not reach {why}"),
            Error::NoAnswer(why) => write!(out, "no answer from {why}"),
            Error::TimedOut(timeout) => write!(out, "no complete answer within {timeout:?}"),
            Error::TooSlow(Slowest { bytes, over }) => {
                write!(out, "the answer came too slowly: less than {bytes} bytes in {over:?}")
            }
            Error::Broken(why) => write!(out, "invalid response from {why}"),
            Error::TooLarge(limit) => write!(out, "the answer is longer than {limit} bytes"),
            Error::PrivateAddress(what) => write!(out, "not allowed to connect to {what}"),
        }
    }
}

impl std::error::Error for Error {}

/// Sends a POST request and returns the answer.
pub fn post(request: &Request, check_interrupts: fn()) -> Result<Response, Error> {
    exchange::call(Method::Post, request, check_interrupts, None)
}

/// Like [`post`], but with this name service instead of the system's.
pub fn post_by_names(request: &Request, names: &Names, check_interrupts: fn()) -> Result<Response, Error> {
    exchange::call(Method::Post, request, check_interrupts, Some(names))
}

/// Sends a GET request and returns the answer: the whole body, or none for a 304 after `if-none-match` or
/// `if-modified-since`. A redirect is returned like any answer; whoever follows it must not send the headers
/// meant for this host to another.
pub fn get(request: &Request, check_interrupts: fn()) -> Result<Response, Error> {
    exchange::call(Method::Get, request, check_interrupts, None)
}

/// Like [`get`], but with this name service instead of the system's.
pub fn get_by_names(request: &Request, names: &Names, check_interrupts: fn()) -> Result<Response, Error> {
    exchange::call(Method::Get, request, check_interrupts, Some(names))
}

/// Closes the connections kept for later calls.
pub fn close_idle() {
    exchange::forget_agents();
}
