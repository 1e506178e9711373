//! What the server and the program kb-rag-extract say to each other.
//!
//! The program sends [`Hello`] first. The server checks [`PROTOCOL`] and sends a [`Request`], followed by the bytes of the
//! file. The program sends [`Message`]s; the last one is [`Message::End`] or [`Message::Failure`]. What comes before it
//! depends on the [`Task`]:
//!
//! | task | messages |
//! |---|---|
//! | [`Task::Text`], [`Task::Page`] | `Begin`, then `Page` for each page |
//! | [`Task::Sitemap`] | `Sitemap` |
//! | [`Task::Archive`] | for each file `File`, `Begin`, `Page`; then `More` if files were left out |
//!
//! Each of these is a frame: four bytes of length, little-endian, and JSON ([`frame`], [`Frames`]).

use std::io;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::version;

/// The number of what this module describes: it rises only if one side could not understand the other, so that a program and
/// a library of different versions work together while an update of both is under way.
pub const PROTOCOL: u32 = 1;

/// The exit status of the program when it runs out of memory. It can send nothing then.
pub const OUT_OF_MEMORY: i32 = 12;

/// The SQLSTATE with which the server refuses a file of a kind that it cannot read.
pub const UNSUPPORTED_SQLSTATE: &str = "22023";

/// The end of the message of that error. Clients of other versions recognize the refusal by both, so neither changes.
pub const UNSUPPORTED_END: &str = ", which cannot be read";

/// The bytes of a length.
const LENGTH: usize = 4;

/// The frame of a value.
///
/// # Errors
/// `InvalidData` for a value of 4 GB or more.
pub fn frame(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut frame = vec![0; LENGTH];
    serde_json::to_writer(&mut frame, value)?;
    let length =
        u32::try_from(frame.len() - LENGTH).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
    frame[..LENGTH].copy_from_slice(&length.to_le_bytes());
    Ok(frame)
}

/// Takes values out of bytes that arrive in pieces.
#[derive(Default)]
pub struct Frames {
    bytes: Vec<u8>,
}

impl Frames {
    /// Adds the bytes that arrived.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next value; None if it has not arrived as a whole.
    ///
    /// # Errors
    /// For a frame that is no such value.
    pub fn take<T: DeserializeOwned>(&mut self) -> io::Result<Option<T>> {
        let Some((length, rest)) = self.bytes.split_first_chunk::<LENGTH>() else { return Ok(None) };
        let length = u32::from_le_bytes(*length) as usize;
        let Some(json) = rest.get(..length) else { return Ok(None) };
        let value = serde_json::from_slice(json)?;
        self.bytes.drain(..LENGTH + length);
        Ok(Some(value))
    }

    /// Whether bytes are left that are no whole frame.
    pub fn has_rest(&self) -> bool {
        !self.bytes.is_empty()
    }
}

/// What the program says before it reads anything.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The [`PROTOCOL`] that it speaks, which must be the library's; 0 from a program that does not say it.
    #[serde(default)]
    pub protocol: u32,
    /// The program's version, for messages.
    pub version: String,
    /// What keeps the program from files, sockets and other programs.
    pub sandbox: Sandbox,
}

/// What the kernel enforces for the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sandbox {
    /// Whether Landlock denies it all files.
    pub files: bool,
    /// Whether seccomp denies it sockets, other programs and other system calls that it does not need.
    pub calls: bool,
}

/// What to read, and within which limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The length of the file that follows, in bytes.
    pub length: u64,
    /// The name of the file, for its kind.
    pub filename: Option<String>,
    /// The MIME type that the caller gave; None to look at the name and the bytes.
    pub mime_type: Option<String>,
    /// The password of an encrypted file.
    pub password: Option<String>,
    /// Address space of the program, in bytes.
    pub memory: u64,
    /// CPU time, in seconds.
    pub cpu_seconds: u64,
    /// What the file is read for.
    pub task: Task,
}

/// What a file is read for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// Its text.
    #[default]
    Text,
    /// Its text and, if it is HTML, its [`WebPage`].
    Page {
        /// The address from which it was fetched.
        url: String,
    },
    /// The addresses in a sitemap (XML or one address a line) or a feed (RSS, Atom), perhaps packed with gzip.
    Sitemap {
        /// The address from which it was fetched.
        url: String,
    },
    /// The texts of the documentation in an archive (tar.gz) of a repository.
    Archive {
        /// The directory or file of the repository to read; None for all of it.
        path: Option<String>,
        /// The most files to read.
        max_files: u32,
        /// The most bytes to which it may unpack.
        max_bytes: u64,
    },
}

/// What the program answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Message {
    /// Before the pages.
    Begin(Properties),
    /// The next page, or all of the text of a file without pages.
    Page(Page),
    /// What a sitemap or a feed leads to.
    Sitemap(Sitemap),
    /// The path in the repository of the file of an archive that is sent next.
    File(String),
    /// So many more files of an archive were not read.
    More(u32),
    /// Everything was sent.
    End,
    /// The file cannot be read. Nothing was sent, or, of an archive, only a part, which must not be taken for the whole.
    Failure(Failure),
}

/// What is known of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Properties {
    /// The title that the file gives itself.
    pub title: Option<String>,
    /// The language that the file declares, as a tag of BCP 47 such as "de" or "pt-BR".
    pub language: Option<String>,
    /// Whether the text is Markdown rather than plain text.
    pub markdown: bool,
    /// Whether the file has pages. Otherwise exactly one [`Page`] is sent.
    pub paged: bool,
    /// The data that was left out of the text, in words: "2 data URIs (3456 characters) left out".
    #[serde(default)]
    pub remark: Option<String>,
    /// What an HTML page says to a crawler, for [`Task::Page`]; None for other kinds and tasks.
    pub web: Option<WebPage>,
    /// The reader of the file; None from a program of an earlier version.
    pub reader: Option<ReadBy>,
}

/// A reader, by its name and version in [`crate::version`]: those of the program, which may be older or newer than the library.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadBy {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: i32,
}

impl ReadBy {
    /// A reader as it is here.
    pub fn own(name: &str) -> ReadBy {
        ReadBy { name: name.to_string(), version: version::of_reader(name).unwrap_or_default() }
    }
}

/// What an HTML page says to a crawler. Addresses are absolute, http or https, without fragment and user name, at most
/// [`MAX_URL_BYTES`] bytes long.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebPage {
    /// The address under which it wants to be known.
    pub canonical: Option<String>,
    /// What it links to, each once, in its order, at most [`MAX_LINKS`]; nothing if it is `nofollow`.
    pub links: Vec<String>,
    /// Whether it wants not to be found. It has one [`Page`] without text then.
    pub noindex: bool,
    /// Whether its links are not to be followed.
    pub nofollow: bool,
    /// Where it sends its readers by itself within a few seconds.
    pub refresh: Option<String>,
}

/// What a sitemap or a feed leads to. Addresses as in [`WebPage`], each once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sitemap {
    /// Pages, at most [`MAX_PAGES`].
    pub pages: Vec<String>,
    /// Further sitemaps, at most [`MAX_SITEMAPS`].
    pub sitemaps: Vec<String>,
    /// Whether this is all of it. False if it is damaged further on, or has more addresses.
    pub complete: bool,
}

/// The longest address that a page or a sitemap may lead to, in bytes.
pub const MAX_URL_BYTES: usize = 2_000;

/// The most links of a page.
pub const MAX_LINKS: usize = 5_000;

/// The most pages of a sitemap.
pub const MAX_PAGES: usize = 10_000;

/// The most sitemaps of a sitemap.
pub const MAX_SITEMAPS: usize = 500;

/// One page. A page with an error may have the part of its text that was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// Its text, without NUL and, in a paged file, without U+000C.
    pub content: String,
    /// Why it could not be read, for people.
    pub error: Option<String>,
}

/// Why a file cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Failure {
    /// It is encrypted, and no password was given.
    PasswordNeeded,
    /// It is encrypted with another password.
    PasswordWrong,
    /// It is of a kind that cannot be read: what it is, such as "an XLSX file".
    Unsupported(String),
    /// It is damaged: how, in words that follow "the file is damaged: ".
    Damaged(String),
    /// It has this many pages, none of which has text, and at least one has an image.
    NoText {
        /// The number of pages.
        pages: usize,
    },
    /// The reader crashed over it: the message of the panic.
    Crashed(String),
    /// It exceeds a limit: which, in words that follow "the file exceeds a limit: ".
    Limit(String),
}

/// What messages call a file.
pub fn named_file(filename: &str) -> String {
    format!("file \"{filename}\"")
}

/// The message that refuses a file: `name` begins it, `kind` is that of [`Failure::Unsupported`].
pub fn unsupported_message(name: &str, kind: &str) -> String {
    format!("{name} is {kind}{UNSUPPORTED_END}")
}

/// The kind in a message that refuses a file with this name, such as "an XLSX file"; of a version that begins the message
/// otherwise, all that it says before its end. None for other errors.
pub fn unsupported_kind<'a>(filename: &str, sqlstate: &str, message: &'a str) -> Option<&'a str> {
    let text = message.strip_suffix(UNSUPPORTED_END).filter(|_| sqlstate == UNSUPPORTED_SQLSTATE)?;
    let beginning = format!("{} is ", named_file(filename));
    Some(text.strip_prefix(&beginning).unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Values arrive whole and in order, however their bytes are cut.
        #[test]
        fn frames_arrive(contents in prop::collection::vec(any::<String>(), 0..8), size in 1..20_usize) {
            let sent: Vec<Message> = contents.into_iter().map(|content| Message::Page(Page { content, error: None })).collect();
            let bytes: Vec<u8> = sent.iter().flat_map(|message| frame(message).unwrap()).collect();
            let mut frames = Frames::default();
            let mut received: Vec<Message> = Vec::new();
            for piece in bytes.chunks(size) {
                frames.push(piece);
                while let Some(message) = frames.take().unwrap() {
                    received.push(message);
                }
            }
            prop_assert_eq!(received, sent);
            prop_assert!(!frames.has_rest());
        }
    }

    /// A program of kb_rag 0.3 does not say what reads.
    #[test]
    fn an_older_program_names_no_reader() {
        let begin =
            r#"{"Begin": {"title": null, "language": "de", "markdown": true, "paged": false, "web": null}}"#;
        let Message::Begin(properties) = serde_json::from_str(begin).unwrap() else { panic!() };
        assert_eq!(properties.reader, None);
        assert_eq!(ReadBy::own("html").name, "html");
        assert!(ReadBy::own("html").version > 0);
    }

    #[test]
    fn refusals_are_recognized() {
        let name = "a \" is b.xlsx";
        let message = unsupported_message(&named_file(name), "an XLSX file");
        // Released clients know it like this.
        assert_eq!(message, "file \"a \" is b.xlsx\" is an XLSX file, which cannot be read");
        assert_eq!(unsupported_kind(name, "22023", &message), Some("an XLSX file"));
        assert_eq!(unsupported_kind("b", "22023", "it is odd, which cannot be read"), Some("it is odd"));
        assert_eq!(unsupported_kind(name, "22000", &message), None);
        assert_eq!(unsupported_kind(name, "22023", "file \"a \" is b.xlsx\" is damaged: x"), None);
    }

    #[test]
    fn what_is_no_frame_is_an_error() {
        let mut frames = Frames::default();
        frames.push(&[3, 0, 0, 0, b'x', b'y', b'z']);
        assert!(frames.take::<Message>().is_err());
    }
}
