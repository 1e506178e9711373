//! Documents that are archives of other files: ZIP, and the compound files of OLE.

use memchr::memmem::{find, find_iter, rfind};

use super::kind::Kind;
use super::table;

/// The first bytes of a compound file.
const OLE: &[u8] = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";

/// The headers of a file in a ZIP archive, of its entry in the directory, and of the end of the directory.
const FILE: &[u8] = b"PK\x03\x04";
const ENTRY: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";

/// What may be between the directory and its end: a signature, and the end of the directory of a large archive.
const AFTER_DIRECTORY: [&[u8]; 2] = [b"PK\x05\x05", b"PK\x06\x06"];

/// Where the end of the directory is looked for: it may have a comment of 65,535 bytes.
const TAIL: usize = 66_000;

/// Documents that say what they are in their first file, which is not compressed.
const FIRST_FILES: [(&[u8], &Kind); 5] = [
    (b"mimetypeapplication/epub+zip", &table::EPUB),
    (b"mimetypeapplication/vnd.oasis.opendocument.text", &table::ODT),
    (b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet", &table::ODS),
    (b"mimetypeapplication/vnd.oasis.opendocument.presentation", &table::ODP),
    (b"mimetypeimage/openraster", &table::IMAGE),
];

/// Documents of Office, by the beginning of the name of their main file.
const MAIN_FILES: [(&[u8], &Kind); 3] =
    [(b"word/document", &table::DOCX), (b"xl/workbook", &table::XLSX), (b"ppt/presentation", &table::PPTX)];

/// No beginning of a name in this list is longer.
const MAX_MAIN_FILE: usize = 32;

/// Documents of Office before 2007, and encrypted ones since then, by the name of a stream.
const STREAMS: [(&str, &Kind); 5] = [
    ("EncryptedPackage", &table::ENCRYPTED_OFFICE),
    ("WordDocument", &table::DOC),
    ("Workbook", &table::XLS),
    ("PowerPoint Document", &table::PPT),
    ("__properties_version1.0", &table::OUTLOOK),
];

/// What a file is as a container.
pub(super) enum Container {
    /// It is none.
    None,
    Kind(&'static Kind),
    /// A damaged ZIP archive, in which nothing tells what it is.
    Broken,
    /// A compound file of an unknown program.
    Unknown,
}

/// What a file is as a container.
pub(super) fn contained(bytes: &[u8]) -> Container {
    if bytes.starts_with(FILE) || bytes.starts_with(END) {
        of_zip(bytes)
    } else if bytes.starts_with(OLE) {
        of_ole(bytes)
    } else {
        Container::None
    }
}

fn of_zip(bytes: &[u8]) -> Container {
    let beginning = &bytes[..bytes.len().min(256)];
    if let Some((_, kind)) = FIRST_FILES.iter().find(|(mark, _)| find(beginning, mark).is_some()) {
        return Container::Kind(kind);
    }
    let tail = bytes.len().saturating_sub(TAIL);
    let end = rfind(&bytes[tail..], END).map(|at| tail + at);
    // The first counts: a document may contain others.
    let mut kind = None;
    let mut look = |name: &[u8]| kind = kind.or_else(|| by_main_file(name));
    let is_whole = end.is_some_and(|end| each_name(bytes, end, &mut look));
    if !is_whole {
        each_header(bytes, look);
    }
    match kind {
        Some(kind) => Container::Kind(kind),
        None if is_whole => Container::Kind(&table::ZIP),
        None => Container::Broken,
    }
}

/// The document that has a main file of this name, or of one that begins so. Readers ignore case, and some writers separate
/// folders by backslashes.
fn by_main_file(name: &[u8]) -> Option<&'static Kind> {
    let name: Vec<u8> = name
        .iter()
        .take(MAX_MAIN_FILE)
        .map(|byte| if *byte == b'\\' { b'/' } else { byte.to_ascii_lowercase() })
        .collect();
    MAIN_FILES.iter().find(|(beginning, _)| name.starts_with(beginning)).map(|(_, kind)| *kind)
}

/// Whether files of a kind are ZIP archives that say what they are.
pub(super) fn is_archive(kind: &Kind) -> bool {
    FIRST_FILES.iter().chain(&MAIN_FILES).any(|(_, document)| *document == kind)
}

/// Calls a function with the name of each file in the directory. `end` is where the end of the directory is. False if the
/// directory is damaged: its entries do not reach to its end.
fn each_name(bytes: &[u8], end: usize, mut with: impl FnMut(&[u8])) -> bool {
    let number = |at: usize, length: usize| {
        let bytes = bytes.get(at..at.checked_add(length)?)?;
        Some(bytes.iter().rev().fold(0usize, |n, b| n << 8 | usize::from(*b)))
    };
    let mut at = number(end + 16, 4).unwrap_or(usize::MAX);
    while bytes.get(at..).is_some_and(|rest| rest.starts_with(ENTRY)) {
        let (Some(name), Some(extra), Some(comment)) =
            (number(at + 28, 2), number(at + 30, 2), number(at + 32, 2))
        else {
            return false;
        };
        with(bytes.get(at + 46..at + 46 + name).unwrap_or_default());
        at += 46 + name + extra + comment;
    }
    at == end || bytes.get(at..).is_some_and(|rest| AFTER_DIRECTORY.iter().any(|mark| rest.starts_with(mark)))
}

/// Calls a function with what follows each header of a file, which begins with its name.
fn each_header(bytes: &[u8], mut with: impl FnMut(&[u8])) {
    for at in find_iter(bytes, FILE) {
        with(bytes.get(at + 30..).unwrap_or_default());
    }
}

fn of_ole(bytes: &[u8]) -> Container {
    // Names of streams are in UTF-16.
    let has = |name: &str| {
        find(bytes, &name.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()).is_some()
    };
    match STREAMS.iter().find(|(name, _)| has(name)) {
        Some((_, kind)) => Container::Kind(kind),
        None => Container::Unknown,
    }
}
