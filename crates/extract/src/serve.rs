//! One file, as the server asks for it.

use std::io::{self, Read, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

use kb_rag_core::extract_protocol::{
    Failure, Frames, Hello, Message, PROTOCOL, Page, Properties, Request, Task, frame,
};
use kb_rag_extract::archive::{self, Stop, Wanted};
use kb_rag_extract::{File, Text, extract, extract_page, sitemap};

use crate::sandbox;

/// The version of the program.
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
    output.write_all(&frame(&Hello { protocol: PROTOCOL, version: VERSION.to_string(), sandbox })?)?;
    output.flush()?;
    let request = read_request(&mut input)?;
    sandbox::limit(&request)?;
    let mut file = Vec::with_capacity(usize::try_from(request.length).unwrap_or(usize::MAX));
    input.take(request.length).read_to_end(&mut file)?;
    if file.len() as u64 != request.length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let last = match answer(&request, &file, &mut output) {
        Ok(()) => Message::End,
        Err(Stop::Failure(failure)) => Message::Failure(failure),
        Err(Stop::Output(error)) => return Err(error),
    };
    send(&mut output, &last)?;
    output.flush()
}

fn send(output: &mut impl Write, message: &Message) -> io::Result<()> {
    output.write_all(&frame(message)?)
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

/// Sends all but the last message; [`Failure::Crashed`] where a reader panics.
fn answer(request: &Request, bytes: &[u8], output: &mut impl Write) -> Result<(), Stop> {
    // Without the standard hook, which writes to standard error.
    panic::set_hook(Box::new(|_| ()));
    panic::catch_unwind(AssertUnwindSafe(|| read(request, bytes, output))).unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<&str>().map(|text| text.to_string());
        let message = message.or_else(|| panic.downcast_ref::<String>().cloned());
        Err(Stop::Failure(Failure::Crashed(message.unwrap_or_default())))
    })
}

fn read(request: &Request, bytes: &[u8], output: &mut impl Write) -> Result<(), Stop> {
    let file = File {
        bytes,
        filename: request.filename.as_deref(),
        mime_type: request.mime_type.as_deref(),
        password: request.password.as_deref(),
    };
    match &request.task {
        Task::Text => send_text(output, extract(&file)?)?,
        Task::Page { url } => send_text(output, extract_page(&file, url)?)?,
        Task::Sitemap { url } => send(output, &Message::Sitemap(sitemap::read(&file, url)?))?,
        Task::Archive { path, max_files, max_bytes } => {
            let wanted = Wanted { path: path.as_deref(), max_files: *max_files, max_bytes: *max_bytes };
            // Each file is sent as it is read, so only one is in memory.
            let left_out = archive::read(bytes, &wanted, |path, text| {
                send(output, &Message::File(path.to_owned()))?;
                send_text(output, text.unwrap_or_else(unreadable))
            })?;
            if left_out > 0 {
                send(output, &Message::More(left_out))?;
            }
        }
    }
    Ok(())
}

fn send_text(output: &mut impl Write, text: Text) -> io::Result<()> {
    send(output, &Message::Begin(text.properties))?;
    text.pages.into_iter().try_for_each(|page| send(output, &Message::Page(page)))
}

/// The text of a file that cannot be read.
fn unreadable(error: String) -> Text {
    Text {
        properties: Properties::default(),
        pages: vec![Page { content: String::new(), error: Some(error) }],
    }
}
