//! From a URL to an open connection.

use std::fmt;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType};
use rustls::ClientConfig;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{ConnectionDetails, Connector, LazyBuffers, NextTimeout};

use crate::PrivateAddresses;
use crate::address::{address_of_host, is_private};
use crate::call::{self, Fault, text};
use crate::socket::{Connection, Socket, Stream};
use crate::tls::TlsStream;
use crate::url;

/// How long one address is tried before the next is tried in parallel (RFC 8305).
const NEXT_ADDRESS: Duration = Duration::from_millis(250);

/// Resolves nothing. The connector does that, so reusing a connection costs no look-up.
#[derive(Debug)]
pub(crate) struct Unresolved;

impl Resolver for Unresolved {
    fn resolve(&self, _: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
        Ok(self.empty())
    }
}

/// Opens connections for an agent.
pub(crate) struct Opener {
    pub(crate) tls: Arc<ClientConfig>,
    pub(crate) private_addresses: PrivateAddresses,
}

impl fmt::Debug for Opener {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Opener")
    }
}

impl Connector for Opener {
    type Out = Connection;

    fn connect(&self, details: &ConnectionDetails, _: Option<()>) -> Result<Option<Connection>, ureq::Error> {
        call::connecting();
        let stream =
            self.open(details.uri).map_err(|fault| ureq::Error::Other(Box::new(fault.while_connecting())))?;
        call::connected();
        let (input, output) = (details.config.input_buffer_size(), details.config.output_buffer_size());
        Ok(Some(Connection::new(stream, LazyBuffers::new(input, output))))
    }
}

impl Opener {
    fn open(&self, uri: &Uri) -> Result<Stream, Fault> {
        let host = url::host(uri);
        // Looked up once: the addresses checked here are those connected to, even if the name's addresses
        // change a moment later.
        let mut addresses = call::names().addresses(host)?;
        if self.private_addresses == PrivateAddresses::Refused {
            let Some(first) = addresses.first().copied() else {
                return Err(Fault::NoConnection("no address".to_owned()));
            };
            addresses.retain(|address| !is_private(*address));
            if addresses.is_empty() {
                return Err(Fault::PrivateAddress(match address_of_host(host).is_some() {
                    true => format!("the private address {first}"),
                    false => format!("the private address {first} of {host}"),
                }));
            }
        }
        let port = url::port(uri);
        let addresses: Vec<SocketAddr> =
            addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect();
        let stream = reach(&addresses)?;
        // Small requests must not wait for acknowledgements. They work without this option too.
        let _ = stream.set_nodelay(true);
        let socket = Socket::new(stream);
        if url::is_https(uri) {
            let stream = TlsStream::new(self.tls.clone(), host, socket)?;
            return Ok(Stream::Tls(Box::new(stream)));
        }
        Ok(Stream::Plain(socket))
    }
}

/// The first of the addresses to accept a connection. They are tried in turn, the next in parallel with one
/// that is slow.
pub(crate) fn reach(addresses: &[SocketAddr]) -> Result<TcpStream, Fault> {
    let mut rest = addresses.iter().copied();
    let mut trying: Vec<(SocketAddr, TcpStream)> = Vec::new();
    let mut failure = None;
    let mut next = Instant::now();
    loop {
        if trying.is_empty() || next <= Instant::now() {
            match rest.next() {
                Some(address) => match begin(address) {
                    Ok(stream) => {
                        trying.push((address, stream));
                        next = Instant::now() + NEXT_ADDRESS;
                    }
                    Err(error) => {
                        failure = Some(refusal(address, error));
                        continue;
                    }
                },
                None if trying.is_empty() => {
                    return Err(failure.unwrap_or(Fault::NoConnection("no address".to_owned())));
                }
                None => {}
            }
        }
        let until = (rest.len() > 0).then_some(next);
        let mut fds: Vec<PollFd> =
            trying.iter().map(|(_, stream)| PollFd::new(stream, PollFlags::OUT)).collect();
        if !call::wait(&mut fds, until)? {
            continue;
        }
        let ready: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
        for ready in ready.iter().enumerate().rev().filter_map(|(i, ready)| ready.then_some(i)) {
            let (address, stream) = trying.swap_remove(ready);
            match rustix::net::sockopt::socket_error(&stream).and_then(|outcome| outcome) {
                Ok(()) => return Ok(stream),
                Err(error) => failure = Some(refusal(address, error)),
            }
            next = Instant::now();
        }
    }
}

fn refusal(address: SocketAddr, error: Errno) -> Fault {
    Fault::NoConnection(format!("{} ({})", text(&error.into()), address.ip()))
}

/// Starts to connect without waiting.
fn begin(address: SocketAddr) -> Result<TcpStream, Errno> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(family, SocketType::STREAM, flags, None)?;
    match rustix::net::connect(&socket, &address) {
        Ok(()) | Err(Errno::INPROGRESS | Errno::INTR) => Ok(TcpStream::from(socket)),
        Err(error) => Err(error),
    }
}
