//! The text of files, which the program kb-rag-extract reads for the server.

mod place;
mod program;

use kb_rag_core::chunk::PAGE_END;
use kb_rag_core::extract_places::{Places, is_quick};
use kb_rag_core::extract_protocol::{
    Failure, Page, Properties, Request, Sitemap, Task, named_file, unsupported_message,
};
use kb_rag_core::file_kind::{Handling, READABLE, is_path, recognize};

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

impl<'a> File<'a> {
    /// A file without a name.
    fn from_bytes(bytes: &'a [u8]) -> File<'a> {
        File { bytes, filename: None, mime_type: None, password: None }
    }
}

/// The text of a file: its pages, or one page with all of it.
#[derive(Default)]
pub struct Text {
    pub properties: Properties,
    pub pages: Vec<Page>,
}

impl Text {
    /// All of it. Each page of a paged file ends with U+000C.
    pub fn content(&self) -> String {
        let end = if self.properties.paged { String::from(PAGE_END) } else { String::new() };
        self.pages.iter().flat_map(|page| [page.content.as_str(), end.as_str()]).collect()
    }

    /// Why nothing is left of an HTML page: it is no empty document. None for others.
    pub fn why_empty(&self) -> Option<&str> {
        match &self.pages[..] {
            [page] if !self.properties.paged && page.content.trim().is_empty() => page.error.as_deref(),
            _ => None,
        }
    }

    /// The MIME type of the text, not of the file.
    pub fn mime_type(&self) -> &'static str {
        if self.properties.markdown { "text/markdown" } else { "text/plain" }
    }
}

/// The texts of the documentation in an archive.
pub struct Archive {
    /// Files by their path in the repository, each with its text or why it cannot be read.
    pub files: Vec<(String, Result<Text, String>)>,
    /// How many more files there are.
    pub left_out: u32,
}

/// The hint for a path in place of a file.
pub const PASS_BYTES: &str =
    "Pass the bytes of the file, for example pg_read_binary_file('/path/of/the/file').";

/// 22023 for the file's own path in place of its bytes, and for any path in place of a file that is not text, by its name or type.
fn check_bytes(file: &File, name: &str) -> Result<()> {
    let Ok(text) = std::str::from_utf8(file.bytes) else { return Ok(()) };
    let kind = recognize(file.bytes, file.filename, file.mime_type);
    let is_document = matches!(kind.handling, Handling::Read(reader) if reader.reads_bytes());
    let has_own_name = || file.filename.is_some_and(|name| file_name(text.trim()) == file_name(name));
    if is_path(text) && (is_document || has_own_name()) {
        return Err(Error::invalid(format!("{name} has a path in place of its bytes")).hint(PASS_BYTES));
    }
    Ok(())
}

/// The last part of a path, as on Unix or Windows.
pub fn file_name(path: &str) -> &str {
    let named = path.trim_end_matches(['/', '\\']);
    // Separators one by one: a search for one byte is fast, however long the path is.
    let start = named.rfind('/').max(named.rfind('\\')).map_or(0, |at| at + 1);
    if named.is_empty() { path } else { &named[start..] }
}

/// Warns of what was left out of a file.
pub fn warn_of_remark(filename: Option<&str>, text: &Text) {
    if let Some(remark) = &text.properties.remark {
        let name = filename.map_or_else(|| "the file".to_string(), named_file);
        Error::warning(format!("{name} has data that is no text: {remark}")).notify();
    }
}

/// Reads the text of a file. Waits while as many files are being read as kb_rag.extract_workers allows.
pub fn read(file: &File) -> Result<Text> {
    let name = match file.filename {
        Some(name) => named_file(name),
        None => "the file".to_string(),
    };
    check_bytes(file, &name)?;
    Ok(run(file, Task::Text, &name)?.text)
}

/// Reads a file that was fetched from `url`: its text and, if it is HTML, `properties.web`. `name` is what errors call it.
/// Waits as [`read`] does.
pub fn read_page(file: &File, url: &str, name: &str) -> Result<Text> {
    Ok(run(file, Task::Page { url: url.to_string() }, name)?.text)
}

/// Reads a sitemap or a feed that was fetched from `url`. `name` and waiting as for [`read_page`].
pub fn read_sitemap(bytes: &[u8], url: &str, name: &str) -> Result<Sitemap> {
    Ok(run(&File::from_bytes(bytes), Task::Sitemap { url: url.to_string() }, name)?.sitemap)
}

/// Reads the documentation in the archive (tar.gz) of a repository: of all of it, or of the directory or file `path`; at most
/// `max_files` files, from at most `max_bytes` of unpacked bytes. `name` and waiting as for [`read_page`].
pub fn read_archive(
    bytes: &[u8],
    path: Option<&str>,
    max_files: u32,
    max_bytes: u64,
    name: &str,
) -> Result<Archive> {
    let task = Task::Archive { path: path.map(str::to_string), max_files, max_bytes };
    let sent = run(&File::from_bytes(bytes), task, name)?;
    let result = |text: Text| match text.pages.iter().find_map(|page| page.error.clone()) {
        Some(error) => Err(error),
        None => Ok(text),
    };
    let files = sent.files.into_iter().map(|(path, text)| (path, result(text))).collect();
    Ok(Archive { files, left_out: sent.left_out })
}

fn run(file: &File, task: Task, name: &str) -> Result<program::Sent> {
    let is_quick = match task {
        Task::Text | Task::Page { .. } => is_quick(file.bytes, file.filename, file.mime_type),
        Task::Sitemap { .. } | Task::Archive { .. } => false,
    };
    let _place = place::take(Places::new(settings::extract_workers()), is_quick);
    let time = settings::extract_timeout();
    let request = Request {
        length: file.bytes.len() as u64,
        filename: file.filename.map(str::to_string),
        mime_type: file.mime_type.map(str::to_string),
        password: file.password.map(str::to_string),
        memory: settings::extract_memory(),
        cpu_seconds: time.as_secs() + 1,
        task,
    };
    program::run(&request, file.bytes, time)?.map_err(|failure| failed(name, failure))
}

/// What a failure is to the user. `name` begins the message: what was read.
fn failed(name: &str, failure: Failure) -> Error {
    match failure {
        Failure::PasswordNeeded => {
            Error::invalid(format!("{name} is encrypted")).hint("Give its password as the argument password.")
        }
        Failure::PasswordWrong => Error::invalid(format!("{name} has another password")),
        // UNSUPPORTED_SQLSTATE.
        Failure::Unsupported(kind) => Error::invalid(unsupported_message(name, &kind))
            .hint(format!("{READABLE} files can be read. Convert the file to one of these.")),
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
