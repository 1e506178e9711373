//! What goes wrong below HTTP, and its text.

use std::fmt;
use std::io;

use crate::Slowest;

/// What went wrong below HTTP.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The deadline of the call has passed.
    TimedOut,
    /// The answer arrives too slowly.
    TooSlow(Slowest),
    /// There is no connection.
    NoConnection(String),
    /// There are only private addresses, which are not allowed.
    PrivateAddress(String),
    /// The connection failed while in use.
    Broken(String),
}

impl Fault {
    /// The fault that an I/O error carries or represents.
    pub(crate) fn from_error(error: io::Error) -> Fault {
        match error.downcast::<Fault>() {
            Ok(fault) => fault,
            Err(error) => match error.downcast::<rustls::Error>() {
                Ok(tls) => Fault::Broken(tls_text(&tls)),
                Err(error) => Fault::Broken(text(&error)),
            },
        }
    }

    /// The same while no connection exists yet.
    pub(crate) fn while_connecting(self) -> Fault {
        match self {
            Fault::Broken(why) => Fault::NoConnection(why),
            other => other,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::TimedOut => write!(out, "timed out"),
            Fault::TooSlow(_) => write!(out, "too slow"),
            Fault::NoConnection(why) | Fault::PrivateAddress(why) | Fault::Broken(why) => {
                write!(out, "{why}")
            }
        }
    }
}

impl std::error::Error for Fault {}

impl From<Fault> for io::Error {
    fn from(fault: Fault) -> io::Error {
        io::Error::other(fault)
    }
}

/// A system error in lower case and without its number.
pub(crate) fn text(error: &io::Error) -> String {
    match error.kind() {
        // The connection was closed although more data was due.
        io::ErrorKind::UnexpectedEof => "connection closed".to_owned(),
        _ if error.raw_os_error().is_some() => {
            let text = error.to_string();
            let text = text.split(" (os error").next().unwrap_or_default();
            text.chars().take(1).flat_map(char::to_lowercase).chain(text.chars().skip(1)).collect()
        }
        _ => error.to_string(),
    }
}

/// A TLS error, in one line of limited length: part of it comes from the server.
pub(crate) fn tls_text(error: &rustls::Error) -> String {
    let text = format!("TLS: {error}").replace(|c: char| c.is_control(), " ");
    text.chars().take(300).collect()
}
