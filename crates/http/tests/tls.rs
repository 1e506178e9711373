//! https: which certificates are trusted, and servers that break the protocol.
#![allow(clippy::unwrap_used, reason = "clippy knows the functions marked as tests, not what they call")]

mod server;

use std::io::Write;
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use kb_rag_http::{Error, Request, Response, post};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use server::{LONG, SHORT, Server, check_interrupts, drain, is_stopped, ok, read_request, request, stop_at};

/// A certificate for 127.0.0.1 or another name as PEM, and the configuration of a server with it.
fn certificate(name: &str) -> (String, Arc<ServerConfig>) {
    let made = rcgen::generate_simple_self_signed(vec![name.to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    (made.cert.pem(), Arc::new(config))
}

fn serve_tls(
    config: Arc<ServerConfig>,
    serve: impl Fn(StreamOwned<ServerConnection, TcpStream>) + Send + Clone + 'static,
) -> Server {
    Server::start(move |_, stream| {
        serve(StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), stream));
    })
}

fn post_to(server: &Server, certificates: Option<&str>, timeout: Duration) -> Result<Response, Error> {
    let url = format!("https://{}/v1?key=SECRET", server.address);
    let request = request(&url, &[]);
    post(&Request { certificates: certificates.map(str::as_bytes), timeout, ..request }, check_interrupts)
}

#[test]
fn trusts_given_certificates_only() {
    let (pem, config) = certificate("127.0.0.1");
    let server = serve_tls(config, |mut stream| {
        while read_request(&mut stream).is_some() {
            stream.write_all(&ok(b"abc")).unwrap();
        }
    });
    for _ in 0..3 {
        assert_eq!(post_to(&server, Some(&pem), LONG).unwrap().body, b"abc");
    }
    assert_eq!(server.connections(), 1, "the connection was not kept");
    let (other, _) = certificate("127.0.0.1");
    for certificates in [None, Some(other.as_str())] {
        let Err(Error::Unreachable(why)) = post_to(&server, certificates, LONG) else { panic!("trusted") };
        assert!(why.contains("certificate") && !why.contains("SECRET"), "{why}");
    }
    assert!(matches!(post_to(&server, Some("no PEM"), LONG), Err(Error::Unreachable(_))));
}

#[test]
fn checks_the_name() {
    let (pem, config) = certificate("example.org");
    let server = serve_tls(config, drain);
    assert!(matches!(post_to(&server, Some(&pem), LONG), Err(Error::Unreachable(_))));
}

#[test]
fn handles_garbage_and_silence_in_place_of_tls() {
    let garbage = Server::start(|_, mut stream| {
        let _ = stream.write_all(&[0x5a; 4096]);
        drain(stream);
    });
    assert!(matches!(post_to(&garbage, None, LONG), Err(Error::Unreachable(_))));
    let silent = Server::start(|_, stream| drain(stream));
    assert_eq!(post_to(&silent, None, SHORT).err(), Some(Error::TimedOut(SHORT)));
    stop_at(3);
    assert!(is_stopped(|| post_to(&silent, None, LONG)));
    stop_at(usize::MAX);
}

#[test]
fn does_not_treat_a_cut_connection_as_an_end() {
    let (pem, config) = certificate("127.0.0.1");
    // Without the closing TLS alert, anyone may have cut the connection.
    let server = serve_tls(config, |mut stream| {
        read_request(&mut stream).unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n{}").unwrap();
    });
    assert!(matches!(post_to(&server, Some(&pem), LONG), Err(Error::Broken(_))));
}

#[test]
fn accepts_an_announced_end() {
    let (pem, config) = certificate("127.0.0.1");
    let server = serve_tls(config, |mut stream| {
        read_request(&mut stream).unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n{}").unwrap();
        stream.conn.send_close_notify();
        stream.flush().unwrap();
    });
    assert_eq!(post_to(&server, Some(&pem), LONG).unwrap().body, b"{}");
}
