//! Connects to the first of several addresses that answers.

use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType};

use crate::call;
use crate::fault::{Fault, text};

/// How long one address is tried before the next is tried in parallel (RFC 8305).
const NEXT_ADDRESS: Duration = Duration::from_millis(250);

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
