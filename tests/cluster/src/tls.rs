//! Certificates of a test, and a client of HTTPS.

use std::io;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::{fs, str};

use rcgen::{CertificateParams, KeyPair};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned, SupportedProtocolVersion};

use crate::client::Folder;
use crate::http;

/// The connection of a client.
pub type Stream = StreamOwned<ClientConnection, TcpStream>;

/// A certificate for localhost, which signs itself, and its key.
pub struct Certificate {
    /// What a client trusts.
    pub der: CertificateDer<'static>,
    /// The same in PEM.
    pub pem: String,
    /// The key in PEM.
    pub key: String,
}

impl Certificate {
    /// A new one.
    pub fn create() -> Certificate {
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(vec!["localhost".to_string()]).expect("a name");
        let certificate = params.self_signed(&key).expect("a certificate");
        Certificate { der: certificate.der().clone(), pem: certificate.pem(), key: key.serialize_pem() }
    }

    /// Writes it to `server.crt` and its key to `server.key`, which only the owner may read.
    pub fn write(&self, folder: &Folder) -> Files {
        let files = Files {
            certificate: folder.write("server.crt", &self.pem),
            key: folder.write("server.key", &self.key),
        };
        files.set_mode(0o600);
        files
    }
}

/// The files of a server.
pub struct Files {
    certificate: PathBuf,
    key: PathBuf,
}

impl Files {
    /// The arguments of `kb-rag`.
    pub fn arguments(&self) -> [&str; 4] {
        let [certificate, key] = [&self.certificate, &self.key].map(|path| path.to_str().expect("a path"));
        ["--tls-certificate", certificate, "--tls-key", key]
    }

    /// Sets the mode of the key.
    pub fn set_mode(&self, mode: u32) {
        fs::set_permissions(&self.key, fs::Permissions::from_mode(mode)).expect("the mode");
    }
}

/// A client that trusts one certificate.
pub struct Client(Arc<ClientConfig>);

impl Client {
    /// With TLS 1.2 and 1.3.
    pub fn new(trusted: &Certificate) -> Client {
        Client::with(trusted, rustls::ALL_VERSIONS, &[])
    }

    /// With these versions and protocols.
    pub fn with(
        trusted: &Certificate,
        versions: &[&'static SupportedProtocolVersion],
        protocols: &[&str],
    ) -> Client {
        let mut roots = RootCertStore::empty();
        roots.add(trusted.der.clone()).expect("a certificate");
        let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(versions)
            .expect("versions of TLS")
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        Client(Arc::new(config))
    }

    /// A connection after its handshake.
    pub fn connect(&self, address: &str) -> io::Result<Stream> {
        let name = ServerName::try_from("localhost").expect("a name");
        let connection = ClientConnection::new(Arc::clone(&self.0), name).expect("a client");
        let mut stream = StreamOwned::new(connection, http::connect(address));
        while stream.conn.is_handshaking() {
            stream.conn.complete_io(&mut stream.sock)?;
        }
        Ok(stream)
    }

    /// A request on a connection of its own.
    pub fn send(
        &self,
        address: &str,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> http::Answer {
        let mut stream = self.connect(address).expect("a handshake");
        http::send_on(&mut stream, address, method, path, headers, body)
    }
}

/// The protocol that both sides have chosen.
pub fn protocol(stream: &Stream) -> Option<&str> {
    stream.conn.alpn_protocol().and_then(|name| str::from_utf8(name).ok())
}
