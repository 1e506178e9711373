//! One file, as the server asks for it.

use std::io::{self, Read, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use kb_rag_core::extraction::{Failure, Frames, Hello, Message, Request, frame};
use kb_rag_extract::{File, Text, extract};

use crate::sandbox;

/// The version of the program, which must be that of the library.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Reads a request and its file, and answers. `parent` is the process that asks: when it ends, so does this one.
pub fn serve(parent: &str) -> ExitCode {
    match run(parent) {
        Ok(()) => ExitCode::SUCCESS,
        // The server is gone, or is not one: nobody reads a message.
        Err(_) => ExitCode::FAILURE,
    }
}

fn run(parent: &str) -> io::Result<()> {
    sandbox::end_with(parent)?;
    let sandbox = sandbox::enter()?;
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    output.write_all(&frame(&Hello { version: VERSION.to_string(), sandbox })?)?;
    output.flush()?;
    let request = read_request(&mut input)?;
    sandbox::limit(&request)?;
    let mut file = Vec::with_capacity(usize::try_from(request.length).unwrap_or(usize::MAX));
    input.take(request.length).read_to_end(&mut file)?;
    if file.len() as u64 != request.length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    match read(&request, &file) {
        Ok(text) => {
            output.write_all(&frame(&Message::Begin(text.properties))?)?;
            for page in text.pages {
                output.write_all(&frame(&Message::Page(page))?)?;
            }
            output.write_all(&frame(&Message::End)?)?;
        }
        Err(failure) => output.write_all(&frame(&Message::Failure(failure))?)?,
    }
    output.flush()
}

/// Byte by byte, so that nothing of the file is taken with it: requests are short.
fn read_request(input: &mut impl Read) -> io::Result<Request> {
    let mut frames = Frames::default();
    let mut byte = [0];
    loop {
        if let Some(request) = frames.take()? {
            return Ok(request);
        }
        input.read_exact(&mut byte)?;
        frames.push(&byte);
    }
}

/// The text of a file; [`Failure::Crashed`] where a reader panics.
fn read(request: &Request, bytes: &[u8]) -> Result<Text, Failure> {
    let file = File {
        bytes,
        filename: request.filename.as_deref(),
        mime_type: request.mime_type.as_deref(),
        password: request.password.as_deref(),
    };
    // Without the standard hook, which writes to standard error.
    panic::set_hook(Box::new(|_| ()));
    panic::catch_unwind(AssertUnwindSafe(|| extract(&file))).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<&str>().map(|text| text.to_string());
        let message = message.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(Failure::Crashed(message.unwrap_or_default()))
    })
}
