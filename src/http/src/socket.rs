//! A TCP connection that waits through [`call`](crate::call), and the streams that ureq reads and writes.

use std::fmt;
use std::io::{self, Read, Write};
use std::net::TcpStream;

use rustix::event::{PollFd, PollFlags};
use ureq::unversioned::transport::{Buffers, LazyBuffers, NextTimeout, Transport};

use crate::call::{self, Fault};
use crate::tls::TlsStream;

/// A non-blocking TCP connection.
pub(crate) struct Socket {
    stream: TcpStream,
    /// Why nothing more can be sent.
    deaf: Option<io::Error>,
}

impl Socket {
    /// The stream must be non-blocking.
    pub(crate) fn new(stream: TcpStream) -> Socket {
        Socket { stream, deaf: None }
    }

    /// Whether the connection is open and no unexpected data has arrived.
    fn is_idle(&self) -> bool {
        let nothing = self.stream.peek(&mut [0]);
        self.deaf.is_none() && nothing.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }

    fn wait(&self, flags: PollFlags) -> Result<(), Fault> {
        call::wait(&mut [PollFd::new(&self.stream, flags)], None).map(|_| ())
    }
}

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            call::tick()?;
            match self.stream.read(buffer) {
                Ok(0) => return self.deaf.take().map_or(Ok(0), Err),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.wait(PollFlags::IN)?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            call::tick()?;
            // A server may reject a request and close the connection before reading all of it. Its answer is
            // more useful than the broken pipe.
            if self.deaf.is_some() {
                return Ok(bytes.len());
            }
            match self.stream.write(bytes) {
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock => self.wait(PollFlags::OUT)?,
                    io::ErrorKind::Interrupted => {}
                    io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => self.deaf = Some(error),
                    _ => return Err(error),
                },
                written => return written,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// With or without TLS.
pub(crate) enum Stream {
    Plain(Socket),
    Tls(Box<TlsStream>),
}

/// A connection as ureq uses it. All waiting follows the deadline of the call, not ureq's timeouts.
pub(crate) struct Connection {
    stream: Stream,
    buffers: LazyBuffers,
}

impl Connection {
    pub(crate) fn new(stream: Stream, buffers: LazyBuffers) -> Connection {
        Connection { stream, buffers }
    }
}

/// ureq treats some I/O errors as the end of the body, so it must not see them.
fn opaque(error: io::Error) -> ureq::Error {
    ureq::Error::Other(Box::new(Fault::of(error)))
}

impl Transport for Connection {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, _: NextTimeout) -> Result<(), ureq::Error> {
        let bytes = self.buffers.output().get(..amount).unwrap_or_default();
        match &mut self.stream {
            Stream::Plain(socket) => socket.write_all(bytes),
            Stream::Tls(stream) => stream.write_all(bytes),
        }
        .map_err(opaque)
    }

    fn await_input(&mut self, _: NextTimeout) -> Result<bool, ureq::Error> {
        let buffer = self.buffers.input_append_buf();
        let length = match &mut self.stream {
            Stream::Plain(socket) => socket.read(buffer),
            Stream::Tls(stream) => stream.read(buffer),
        }
        .map_err(opaque)?;
        if length > 0 {
            call::answered();
        }
        self.buffers.input_appended(length);
        Ok(length > 0)
    }

    fn is_open(&mut self) -> bool {
        match &self.stream {
            Stream::Plain(socket) => socket.is_idle(),
            Stream::Tls(stream) => stream.is_open() && stream.socket.is_idle(),
        }
    }

    fn is_tls(&self) -> bool {
        matches!(self.stream, Stream::Tls(_))
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Connection")
    }
}
