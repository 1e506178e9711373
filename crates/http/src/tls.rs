//! TLS by rustls over a [`Socket`], with ring and Mozilla's certificates.

use std::io::{self, Read};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore};

use crate::fault::{Fault, tls_text};
use crate::socket::Socket;

/// A configuration that trusts Mozilla's certificates and those given as PEM.
pub(crate) fn config(certificates: Option<&[u8]>) -> Result<Arc<ClientConfig>, String> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(pem) = certificates {
        let given: Vec<CertificateDer> = CertificateDer::pem_slice_iter(pem)
            .collect::<Result<_, _>>()
            .map_err(|error| format!("the given certificates are not PEM: {error}"))?;
        // A system bundle may contain a kind of certificate that is unknown here.
        let (added, _) = roots.add_parsable_certificates(given);
        if added == 0 {
            return Err("the given PEM contains no certificate".to_owned());
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| tls_text(&error))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

/// TLS over a socket.
pub(crate) struct TlsStream {
    session: ClientConnection,
    pub(crate) socket: Socket,
    closed: bool,
}

impl TlsStream {
    /// Performs the handshake with `host`.
    pub(crate) fn new(config: Arc<ClientConfig>, host: &str, mut socket: Socket) -> Result<TlsStream, Fault> {
        let name = ServerName::try_from(host.to_owned())
            .map_err(|_| Fault::NoConnection("TLS needs a host name or an address".to_owned()))?;
        let mut session =
            ClientConnection::new(config, name).map_err(|error| Fault::NoConnection(tls_text(&error)))?;
        while session.is_handshaking() {
            session.complete_io(&mut socket).map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => {
                    Fault::NoConnection("connection closed in the TLS handshake".to_owned())
                }
                _ => Fault::from_error(error),
            })?;
        }
        Ok(TlsStream { session, socket, closed: false })
    }

    /// False once the server has announced the end.
    pub(crate) fn is_open(&self) -> bool {
        !self.closed
    }

    fn send(&mut self) -> io::Result<()> {
        while self.session.wants_write() {
            self.session.write_tls(&mut self.socket)?;
        }
        Ok(())
    }

    pub(crate) fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        use io::Write;
        while !bytes.is_empty() {
            let taken = self.session.writer().write(bytes)?;
            bytes = bytes.get(taken..).unwrap_or_default();
            self.send()?;
        }
        Ok(())
    }

    /// Zero only at an end that the server announced; a connection cut off is an error.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.session.reader().read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                other => return other,
            }
            self.send()?;
            self.session.read_tls(&mut self.socket)?;
            let state = self.session.process_new_packets().map_err(io::Error::other)?;
            self.closed |= state.peer_has_closed();
        }
    }
}
