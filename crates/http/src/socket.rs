//! A TCP connection that waits through [`call`](crate::call).

use std::io::{self, Read, Write};
use std::net::TcpStream;

use rustix::event::{PollFd, PollFlags};

use crate::call;
use crate::fault::Fault;

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
    pub(crate) fn is_idle(&self) -> bool {
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
