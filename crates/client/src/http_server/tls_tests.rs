//! The limits of connections over TLS.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use rcgen::{CertificateParams, KeyPair};
use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::time::{Instant, sleep};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::tests::{HEAD_TIME, IDLE_TIME, READ_TIME, Served, answered, rest};
use super::*;
use crate::cli::TlsFiles;

/// A server, and what trusts its certificate.
fn start() -> (Served, TlsConnector) {
    let key = KeyPair::generate().unwrap();
    let certificate =
        CertificateParams::new(vec!["localhost".to_string()]).unwrap().self_signed(&key).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let (crt, own) = (directory.path().join("server.crt"), directory.path().join("server.key"));
    fs::write(&crt, certificate.pem()).unwrap();
    fs::write(&own, key.serialize_pem()).unwrap();
    fs::set_permissions(&own, fs::Permissions::from_mode(0o600)).unwrap();
    let tls = Tls::read(TlsFiles { tls_certificate: Some(crt), tls_key: Some(own) }).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(certificate.der().clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    (Served::with(tls), TlsConnector::from(Arc::new(config)))
}

/// A connection over TLS on which this was sent.
async fn connect(served: &Served, connector: &TlsConnector, sent: &str) -> TlsStream<DuplexStream> {
    let plain = served.connect("").await;
    let name = ServerName::try_from("localhost").unwrap();
    let mut stream = connector.connect(name, plain).await.unwrap();
    stream.write_all(sent.as_bytes()).await.unwrap();
    stream
}

#[tokio::test(start_paused = true)]
async fn the_time_for_headers_includes_the_handshake() {
    let (served, connector) = start();
    // Nothing, the begin of a handshake, and one of a record that never comes.
    for sent in ["", "\u{16}", "\u{16}\u{3}\u{1}\u{1}\u{1}"] {
        let mut slow = served.connect(sent).await;
        assert_eq!(rest(&mut slow).await.1, HEAD_TIME, "{sent:?}");
    }
    let began = Instant::now();
    let plain = served.connect("").await;
    sleep(HEAD_TIME - Duration::from_secs(1)).await;
    let name = ServerName::try_from("localhost").unwrap();
    let mut late = connector.connect(name, plain).await.unwrap();
    late.write_all(b"GET / HT").await.unwrap();
    let mut read = Vec::new();
    let _ = late.read_to_end(&mut read).await;
    assert_eq!((read.len(), began.elapsed()), (0, HEAD_TIME));
}

#[tokio::test(start_paused = true)]
async fn half_a_handshake_keeps_nobody_out() {
    let (served, connector) = start();
    let began = Instant::now();
    let mut half = Vec::new();
    for _ in 0..600 {
        half.push(served.connect("\u{16}\u{3}\u{1}").await);
    }
    let mut good = connect(&served, &connector, "GET / HTTP/1.1\r\n\r\n").await;
    answered(&mut good).await;
    assert_eq!(began.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn limits_of_time_hold_over_tls() {
    let (served, connector) = start();
    let mut silent = connect(&served, &connector, "GET / HTTP/1.1\r\n\r\n").await;
    answered(&mut silent).await;
    sleep(IDLE_TIME - Duration::from_secs(1)).await;
    silent.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    answered(&mut silent).await;
    let began = Instant::now();
    let _ = silent.read_to_end(&mut Vec::new()).await;
    assert_eq!(began.elapsed(), IDLE_TIME);
    // Even where all of an answer is in the buffer of TLS.
    for path in ["/long", "/"] {
        let requests = format!("GET {path} HTTP/1.1\r\n\r\n").repeat(80);
        let mut unread = connect(&served, &connector, &requests).await;
        sleep(READ_TIME + Duration::from_secs(1)).await;
        let mut read = Vec::new();
        let _ = unread.read_to_end(&mut read).await;
        assert!(read.len() < 4096, "{path}: the connection has ended: {}", read.len());
    }
}

#[tokio::test(start_paused = true)]
async fn plain_http_is_told_to_use_tls() {
    let (served, _) = start();
    let mut plain = served.connect("POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc").await;
    let (said, time) = rest(&mut plain).await;
    assert!(said.starts_with("HTTP/1.1 400 ") && said.contains("this port takes HTTPS"), "{said}");
    assert_eq!(time, Duration::ZERO);
    let mut slow = served.connect("GET / HTTP/1.1\r\nx: ").await;
    assert_eq!(rest(&mut slow).await, (String::new(), HEAD_TIME));
}
