//! From a URL to an open connection.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use rustls::ClientConfig;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{ConnectionDetails, Connector, LazyBuffers, NextTimeout};

use crate::PrivateAddresses;
use crate::address::{address_of_host, is_private};
use crate::call;
use crate::connection::{Connection, Stream};
use crate::fault::Fault;
use crate::names::Names;
use crate::reach::reach;
use crate::socket::Socket;
use crate::tls::TlsStream;
use crate::url;

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
    /// The name service. None: the system's, as it is configured when a connection is opened.
    pub(crate) names: Option<Names>,
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
        let mut addresses = match &self.names {
            Some(names) => names.addresses(host)?,
            None => Names::of_system().addresses(host)?,
        };
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
        // Small requests must not wait for acknowledgments. They work without this option too.
        let _ = stream.set_nodelay(true);
        let socket = Socket::new(stream);
        if url::is_https(uri) {
            let stream = TlsStream::new(self.tls.clone(), host, socket)?;
            return Ok(Stream::Tls(Box::new(stream)));
        }
        Ok(Stream::Plain(socket))
    }
}
