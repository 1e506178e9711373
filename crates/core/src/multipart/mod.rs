//! The parts of a form (`multipart/form-data`: RFC 7578 and 2046) out of bytes that come in pieces of any size. What a part holds is
//! given on as it comes, so that no part has to be in memory.

mod head;
#[cfg(test)]
mod tests;

use memchr::memmem;

pub use head::Head;
use head::parameters;

/// The most characters of a boundary, and bytes of the headers of a part.
const MAX_BOUNDARY: usize = 70;
const MAX_HEAD: usize = 16 * 1024;
/// The most spaces behind a boundary.
const MAX_PADDING: usize = 1024;

const LINE: &[u8] = b"\r\n";
const EMPTY_LINE: &[u8] = b"\r\n\r\n";

/// Why a form cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// What is wrong.
    pub message: String,
    /// What helps; empty if nothing does.
    pub hint: &'static str,
}

impl Wrong {
    fn new(message: impl Into<String>, hint: &'static str) -> Wrong {
        Wrong { message: message.into(), hint }
    }
}

/// Whether a Content-Type is that of a form.
pub fn is_form(content_type: &str) -> bool {
    content_type.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("multipart/form-data"))
}

/// The next thing of a form.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// A part begins.
    Part(Head),
    /// Some of what it holds.
    Data(Vec<u8>),
    /// It ends.
    End,
}

/// Reads a form.
pub struct Multipart {
    /// The line break and the hyphens included.
    delimiter: Vec<u8>,
    buffer: Vec<u8>,
    /// What of the buffer is done with.
    done: usize,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Preamble,
    /// The rest of the line of a boundary.
    Line,
    /// The headers of a part, after the line break before them.
    Head,
    /// What a part holds. At its start, the line break that ends the headers is still there: it is that of the boundary where a
    /// part has no content.
    Content {
        is_start: bool,
    },
    Epilogue,
}

/// Where a boundary is.
enum Found {
    At(usize),
    /// There may be one from here on, which more bytes decide.
    Open(usize),
}

impl Multipart {
    /// For a body with this Content-Type.
    ///
    /// # Errors
    /// If it has no boundary, or one that is none.
    pub fn new(content_type: &str) -> Result<Multipart, Wrong> {
        const HINT: &str = "Let the client choose the header Content-Type, such as curl -F does.";
        let (_, given) = parameters(content_type)?;
        let mut boundaries = given.into_iter().filter(|(name, _)| name == "boundary");
        let Some((_, boundary)) = boundaries.next() else {
            return Err(Wrong::new("the Content-Type of the form has no boundary", HINT));
        };
        let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b"'()+_,-./:=? ".contains(&byte);
        let is_right = (1..=MAX_BOUNDARY).contains(&boundary.len())
            && boundary.bytes().all(is_known)
            && !boundary.ends_with(' ')
            && boundaries.next().is_none();
        if !is_right {
            let message = format!("the boundary of the form is not 1 to {MAX_BOUNDARY} allowed characters");
            return Err(Wrong::new(message, HINT));
        }
        let delimiter = [LINE, b"--", boundary.as_bytes()].concat();
        // The first boundary may be at the very beginning.
        Ok(Multipart { delimiter, buffer: LINE.to_vec(), done: 0, state: State::Preamble })
    }

    /// Takes the next bytes. Ask for all events before.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.done);
        self.done = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// The next event; None where more bytes are needed.
    ///
    /// # Errors
    /// If this is no form. Nothing comes after that.
    pub fn event(&mut self) -> Result<Option<Event>, Wrong> {
        loop {
            let rest = self.buffer.get(self.done..).unwrap_or_default();
            match self.state {
                State::Preamble => match self.find(rest) {
                    Found::At(at) => self.pass(at + self.delimiter.len(), State::Line),
                    Found::Open(at) => {
                        self.done += at;
                        return Ok(None);
                    }
                },
                State::Line => {
                    if rest.starts_with(b"--") {
                        self.state = State::Epilogue;
                        continue;
                    }
                    let padding = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
                    let after = rest.get(padding..).unwrap_or_default();
                    if padding > MAX_PADDING || !(after.starts_with(LINE) || LINE.starts_with(after)) {
                        return Err(Wrong::new(
                            "the line of a boundary in the form has something else in it",
                            "",
                        ));
                    }
                    if after.len() < LINE.len() {
                        return Ok(None);
                    }
                    self.pass(padding, State::Head);
                }
                State::Head => {
                    let Some(end) = memmem::find(rest, EMPTY_LINE).filter(|end| *end <= MAX_HEAD) else {
                        if rest.len() > MAX_HEAD {
                            let message =
                                format!("the headers of a part of the form have more than {MAX_HEAD} bytes");
                            return Err(Wrong::new(message, ""));
                        }
                        return Ok(None);
                    };
                    let head = Head::parse(rest.get(LINE.len()..end).unwrap_or_default())?;
                    self.pass(end + LINE.len(), State::Content { is_start: true });
                    return Ok(Some(Event::Part(head)));
                }
                State::Content { is_start } => {
                    let before = if is_start { LINE.len() } else { 0 };
                    let (at, is_end) = match self.find(rest) {
                        Found::At(at) => (at, true),
                        Found::Open(at) => (at, false),
                    };
                    if let Some(data) = rest.get(before..at).filter(|data| !data.is_empty()) {
                        let data = data.to_vec();
                        self.pass(at, State::Content { is_start: false });
                        return Ok(Some(Event::Data(data)));
                    }
                    if !is_end {
                        return Ok(None);
                    }
                    self.pass(at + self.delimiter.len(), State::Line);
                    return Ok(Some(Event::End));
                }
                State::Epilogue => {
                    self.done = self.buffer.len();
                    return Ok(None);
                }
            }
        }
    }

    /// Says that no more bytes come.
    ///
    /// # Errors
    /// If the last boundary is missing: the end may be, too.
    pub fn finish(&self) -> Result<(), Wrong> {
        match self.state {
            State::Epilogue => Ok(()),
            _ => Err(Wrong::new("the form ends before its last boundary", "Send all of it.")),
        }
    }

    fn pass(&mut self, bytes: usize, state: State) {
        self.done += bytes;
        self.state = state;
    }

    /// The next boundary. A line that begins with it and goes on otherwise is none.
    fn find(&self, rest: &[u8]) -> Found {
        let mut from = 0;
        while let Some(at) = memmem::find(rest.get(from..).unwrap_or_default(), &self.delimiter) {
            let at = from + at;
            match rest.get(at + self.delimiter.len()..).unwrap_or_default() {
                [] | [b'-'] => return Found::Open(at),
                [b'-', b'-', ..] | [b' ' | b'\t' | b'\r', ..] => return Found::At(at),
                _ => from = at + self.delimiter.len(),
            }
        }
        // The end may be the beginning of one.
        Found::Open(from.max(rest.len().saturating_sub(self.delimiter.len() - 1)))
    }
}
