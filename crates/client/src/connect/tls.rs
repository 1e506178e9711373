//! TLS as libpq's sslmode asks for it.

use std::fs;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::conninfo::{Settings, SslMode};
use crate::error::{Failure, Result};

/// What opens the TLS connections of a driver.
///
/// # Errors
/// Status 2 if the certificates to trust cannot be read.
pub fn connector(settings: &Settings) -> Result<MakeRustlsConnect> {
    let provider = Arc::new(ring::default_provider());
    let check = match settings.ssl_mode()? {
        SslMode::Disable | SslMode::Prefer | SslMode::Require => Check::Nothing,
        SslMode::VerifyCa => Check::Authority(authorities(settings, &provider)?),
        SslMode::VerifyFull => Check::AuthorityAndHost(authorities(settings, &provider)?),
    };
    let verifier = Arc::new(Verifier { check, provider: Arc::clone(&provider) });
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Failure::new(format!("TLS cannot be used: {error}")))?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

/// The certificates to trust: those of sslrootcert, or of the system.
fn authorities(settings: &Settings, provider: &Arc<CryptoProvider>) -> Result<Arc<WebPkiServerVerifier>> {
    let mut roots = RootCertStore::empty();
    let from = match settings.get("sslrootcert") {
        Some(path) if path != "system" => {
            let failed =
                |why: String| Failure::usage(format!("certificates of \"{path}\" cannot be read: {why}"));
            let pem = fs::read(path).map_err(|error| failed(error.to_string()))?;
            for certificate in CertificateDer::pem_slice_iter(&pem) {
                let certificate = certificate.map_err(|error| failed(error.to_string()))?;
                roots.add(certificate).map_err(|error| failed(error.to_string()))?;
            }
            path
        }
        _ => {
            // Some of a system's certificates may not be usable.
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            "the system"
        }
    };
    WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(provider)).build().map_err(
        |error| {
            Failure::usage(format!("no certificate to trust in {from}: {error}"))
                .hint("Give a file of certificates with sslrootcert or PGSSLROOTCERT.")
        },
    )
}

/// What is checked of the server's certificate.
#[derive(Debug)]
enum Check {
    Nothing,
    Authority(Arc<WebPkiServerVerifier>),
    AuthorityAndHost(Arc<WebPkiServerVerifier>),
}

#[derive(Debug)]
struct Verifier {
    check: Check,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        host: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, Error> {
        match &self.check {
            Check::Nothing => Ok(ServerCertVerified::assertion()),
            Check::AuthorityAndHost(roots) => {
                roots.verify_server_cert(certificate, intermediates, host, ocsp, now)
            }
            // The name is checked last, so this error says that the rest holds.
            Check::Authority(roots) => {
                match roots.verify_server_cert(certificate, intermediates, host, ocsp, now) {
                    Err(Error::InvalidCertificate(
                        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
                    )) => Ok(ServerCertVerified::assertion()),
                    result => result,
                }
            }
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::path::Path;
    use std::thread;

    use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
    use rustls::pki_types::PrivatePkcs8KeyDer;
    use rustls::{ServerConfig, ServerConnection, Stream};

    use super::super::Connector;
    use super::*;
    use crate::cli::Connection;

    /// What the server below says over TLS, once the client has accepted its certificate.
    const REACHED: &str = "reached";

    fn authority() -> CertifiedIssuer<'static, KeyPair> {
        let mut params = CertificateParams::new(vec![]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
    }

    /// Serves one connection with a certificate for `name`; returns its port.
    fn server(authority: &CertifiedIssuer<'static, KeyPair>, name: &str) -> u16 {
        let key = KeyPair::generate().unwrap();
        let certificate =
            CertificateParams::new(vec![name.to_string()]).unwrap().signed_by(&key, authority).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![certificate.der().clone()],
                PrivatePkcs8KeyDer::from(key.serialize_der()).into(),
            )
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            let mut request = [0; 8];
            socket.read_exact(&mut request).unwrap();
            socket.write_all(b"S").unwrap();
            let mut tls = ServerConnection::new(Arc::new(config)).unwrap();
            let mut stream = Stream::new(&mut tls, &mut socket);
            // The client may refuse the certificate.
            let mut startup = [0; 1024];
            if stream.read(&mut startup).is_ok_and(|length| length > 0) {
                let fields = format!("SFATAL\0C28000\0M{REACHED}\0\0");
                let mut message = vec![b'E'];
                message.extend((fields.len() as u32 + 4).to_be_bytes());
                message.extend(fields.as_bytes());
                let _ = stream.write_all(&message);
            }
        });
        port
    }

    /// How a connection to it ends.
    fn outcome(
        mode: &str,
        trusted: &Path,
        authority: &CertifiedIssuer<'static, KeyPair>,
        name: &str,
    ) -> String {
        let port = server(authority, name);
        let root = if mode == "prefer" || mode == "require" {
            String::new()
        } else {
            format!(" sslrootcert='{}'", trusted.display())
        };
        let text = format!(
            "host=localhost hostaddr=127.0.0.1 port={port} user=u dbname=d password=x sslmode={mode}{root}"
        );
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            match Connector::from_connection(&to(&text)).unwrap().connect().await {
                Ok(_) => "connected".to_string(),
                Err(failure) => failure.message,
            }
        })
    }

    fn to(database: &str) -> Connection {
        Connection { database: Some(database.to_string()), role: None }
    }

    #[test]
    fn each_mode_checks_what_it_says() {
        let (ours, others) = (authority(), authority());
        let directory = tempfile::tempdir().unwrap();
        let trusted = directory.path().join("root.crt");
        fs::write(&trusted, ours.pem()).unwrap();
        for (mode, authority, name, accepted) in [
            ("prefer", &others, "elsewhere", true),
            ("require", &others, "elsewhere", true),
            ("verify-ca", &ours, "localhost", true),
            ("verify-ca", &ours, "elsewhere", true),
            ("verify-ca", &others, "localhost", false),
            ("verify-full", &ours, "localhost", true),
            ("verify-full", &ours, "elsewhere", false),
            ("verify-full", &others, "localhost", false),
        ] {
            let outcome = outcome(mode, &trusted, authority, name);
            assert_eq!(outcome.ends_with(REACHED), accepted, "{mode}, {name}: {outcome}");
            assert_eq!(outcome.contains("certificate"), !accepted, "{mode}, {name}: {outcome}");
        }
    }

    #[test]
    fn a_file_without_certificates_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("root.crt");
        fs::write(&path, "nothing").unwrap();
        for path in [path.clone(), path.with_file_name("none")] {
            let text = format!("host=a sslmode=verify-full sslrootcert='{}'", path.display());
            assert_eq!(Connector::from_connection(&to(&text)).err().unwrap().status, 2);
        }
    }
}
