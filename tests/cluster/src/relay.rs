//! A Unix socket between a client and the server that delays connections and loses requests to cancel.

use std::io::{Read, Write, copy};
use std::net::{Shutdown, TcpListener};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use crate::socket_path;

/// The length of a request to cancel, and what follows it: see "CancelRequest" in PostgreSQL's protocol.
const CANCEL_REQUEST: [u8; 8] = [0, 0, 0, 16, 4, 210, 22, 46];

/// The relay; its socket is removed at the end.
pub struct Relay {
    directory: tempfile::TempDir,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    counts: Mutex<Counts>,
    changed: Condvar,
}

#[derive(Default)]
struct Counts {
    connections: usize,
    cancels: usize,
    /// Connections from this number on wait.
    held: usize,
    /// Requests to cancel up to this number are lost.
    lost: usize,
}

impl Relay {
    /// Delays connections from number `held` on (1 is the first) until [`Relay::release`], and loses the first
    /// `lost` requests to cancel.
    pub fn start(held: usize, lost: usize) -> Relay {
        let directory = tempfile::tempdir().expect("a directory for the socket");
        let listener = UnixListener::bind(directory.path().join(".s.PGSQL.5432")).expect("a socket");
        let counts = Mutex::new(Counts { held, lost, ..Counts::default() });
        let state = Arc::new(State { counts, changed: Condvar::new() });
        let shared = Arc::clone(&state);
        // Ends with the process: the listener has no other end.
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let state = Arc::clone(&shared);
                thread::spawn(move || serve(client, &state));
            }
        });
        Relay { directory, state }
    }

    /// What a client takes as the host.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// The number of requests to cancel so far.
    pub fn cancels(&self) -> usize {
        self.state.counts.lock().unwrap().cancels
    }

    /// Lets all connections pass.
    pub fn release(&self) {
        self.state.counts.lock().unwrap().held = usize::MAX;
        self.state.changed.notify_all();
    }
}

/// A port of this machine behind which the server is, without TLS, for clients that know hosts and ports only.
pub fn port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("a bound socket has an address").port();
    // Ends with the process: the listener has no other end.
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let server = UnixStream::connect(socket_path()).expect("the server");
            let (mut from_client, mut to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
            thread::spawn(move || {
                let _ = copy(&mut from_client, &mut to_server);
                let _ = to_server.shutdown(Shutdown::Both);
            });
            let (mut server, mut client) = (server, client);
            thread::spawn(move || {
                let _ = copy(&mut server, &mut client);
                let _ = client.shutdown(Shutdown::Both);
            });
        }
    });
    port
}

/// Passes on one connection.
fn serve(mut client: UnixStream, state: &State) {
    let mut first = [0; 8];
    if client.read_exact(&mut first).is_err() {
        return;
    }
    let mut counts = state.counts.lock().unwrap();
    if first == CANCEL_REQUEST {
        counts.cancels += 1;
        if counts.cancels <= counts.lost {
            return;
        }
    } else {
        counts.connections += 1;
        let number = counts.connections;
        counts = state.changed.wait_while(counts, |counts| number >= counts.held).unwrap();
    }
    drop(counts);
    let mut server = UnixStream::connect(socket_path()).expect("the server");
    server.write_all(&first).expect("the first bytes");
    let (mut from_client, mut to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    thread::spawn(move || {
        let _ = copy(&mut from_client, &mut to_server);
        let _ = to_server.shutdown(Shutdown::Write);
    });
    let _ = copy(&mut server, &mut client);
    let _ = client.shutdown(Shutdown::Both);
}
