//! A connection as ureq reads and writes it, with or without TLS.

use std::fmt;
use std::io::{self, Read, Write};

use ureq::unversioned::transport::{Buffers, LazyBuffers, NextTimeout, Transport};

use crate::call;
use crate::fault::Fault;
use crate::socket::Socket;
use crate::tls::TlsStream;

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
    ureq::Error::Other(Box::new(Fault::from_error(error)))
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
            call::answered(length);
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
