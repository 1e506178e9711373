//! How a call affects its process: it starts no thread and ignores the environment.
//!
//! The test runs itself in a process of its own, with an environment that it must ignore.
#![allow(clippy::unwrap_used, reason = "clippy knows the functions marked as tests, not what they call")]

mod server;

use std::cell::Cell;
use std::io::Write;
use std::net::{TcpListener, UdpSocket};
use std::process::Command;
use std::sync::Arc;

use kb_rag_http::{Error, post};
use server::{SHORT, Server, ok, read_request, request};

const URL: &str = "KB_RAG_HTTP_TEST_URL";
/// Where the process tells of its checks for interrupts.
const CHECKED: &str = "KB_RAG_HTTP_TEST_CHECKED";

thread_local! {
    static MAX_THREADS: Cell<usize> = const { Cell::new(0) };
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

fn count_threads() {
    MAX_THREADS.set(MAX_THREADS.get().max(threads()));
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.send_to(b"", std::env::var(CHECKED).unwrap()).unwrap();
}

#[test]
fn starts_no_thread_and_ignores_the_environment() {
    if let Ok(url) = std::env::var(URL) {
        return call(&url);
    }
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    let proxy_url = format!("http://{}", proxy.local_addr().unwrap());
    let checks = UdpSocket::bind("127.0.0.1:0").unwrap();
    let checked = checks.local_addr().unwrap().to_string();
    let checks = Arc::new(checks);
    // Answers after a check for interrupts.
    let server = Server::start(move |_, mut stream| {
        while read_request(&mut stream).is_some() {
            checks.recv(&mut []).unwrap();
            stream.write_all(&ok(b"abc")).unwrap();
        }
    });
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "starts_no_thread_and_ignores_the_environment", "--nocapture"]);
    for variable in ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        child.env(variable, &proxy_url);
    }
    child.env("SSL_CERT_FILE", "/nonexistent").env("RES_OPTIONS", "timeout:0");
    let outcome = child.env(URL, server.url()).env(CHECKED, checked).output().unwrap();
    assert!(outcome.status.success(), "{outcome:?}");
    assert_eq!(server.connections(), 1);
    proxy.set_nonblocking(true).unwrap();
    assert!(proxy.accept().is_err(), "the proxy was used");
}

fn call(url: &str) {
    let before = threads();
    assert_eq!(post(&request(url, &[]), count_threads).unwrap().body, b"abc");
    assert_eq!(MAX_THREADS.get(), before);
    // Nor for a name, whatever the environment says about it.
    let quick = kb_rag_http::Request { timeout: SHORT, ..request("http://kb-rag.invalid/", &[]) };
    let outcome = post(&quick, count_threads);
    assert!(matches!(outcome, Err(Error::Unreachable(_) | Error::NoAnswer(_) | Error::TimedOut(_))));
    assert_eq!((MAX_THREADS.get(), threads()), (before, before));
}
