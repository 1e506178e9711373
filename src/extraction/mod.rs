//! The text of files, which the program kb-rag-extract reads for the server.

mod place;
mod program;

use kb_rag_core::extraction::{Failure, Page, Properties, Request};

use crate::error::{Error, Result};
use crate::settings;

/// A file to read.
#[derive(Clone, Copy)]
pub struct File<'a> {
    pub bytes: &'a [u8],
    pub filename: Option<&'a str>,
    pub mime_type: Option<&'a str>,
    pub password: Option<&'a str>,
}

/// The text of a file: its pages, or one page with all of it.
#[derive(Default)]
pub struct Text {
    pub properties: Properties,
    pub pages: Vec<Page>,
}

impl Text {
    /// The MIME type of the text, not of the file.
    pub fn mime_type(&self) -> &'static str {
        if self.properties.markdown { "text/markdown" } else { "text/plain" }
    }
}

/// Reads the text of a file. Waits while as many files are being read as kb_rag.extract_workers allows.
pub fn read(file: &File) -> Result<Text> {
    let _place = place::take(settings::extract_workers());
    let time = settings::extract_timeout();
    let request = Request {
        length: file.bytes.len() as u64,
        filename: file.filename.map(str::to_string),
        mime_type: file.mime_type.map(str::to_string),
        password: file.password.map(str::to_string),
        memory: settings::extract_memory(),
        cpu_seconds: time.as_secs() + 1,
    };
    program::run(&request, file.bytes, time)?.map_err(|failure| failed(file, failure))
}

/// What a failure is to the user.
fn failed(file: &File, failure: Failure) -> Error {
    let name = match file.filename {
        Some(name) => format!("file \"{name}\""),
        None => "the file".to_string(),
    };
    match failure {
        Failure::PasswordNeeded => {
            Error::invalid(format!("{name} is encrypted")).hint("Give its password as the argument password.")
        }
        Failure::PasswordWrong => Error::invalid(format!("{name} has another password")),
        Failure::Unsupported(what) => Error::invalid(format!("{name} is {what}, which cannot be read")).hint(
            "PDF, HTML, DOCX, Markdown and other text files can be read. Convert the file to one of these.",
        ),
        Failure::Damaged(how) => Error::bad_file(format!("{name} is damaged: {how}")),
        Failure::NoText { pages } => {
            let pages = if pages == 1 { "its page".to_string() } else { format!("its {pages} pages") };
            Error::bad_file(format!("{name} has no text on {pages}, only images"))
                .hint("If it was scanned, have a program such as OCRmyPDF recognize the text first.")
        }
        Failure::Crashed(message) => {
            Error::bad_file(format!("{name} cannot be read: kb-rag-extract crashed")).detail(message)
        }
        Failure::Limit(which) => Error::limit(format!("{name} exceeds a limit: {which}")),
    }
}
