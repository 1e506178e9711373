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
    /// A ZIP archive that breaks off before anything tells what it is.
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
    let mut kind = None;
    each_name(bytes, end, |name| {
        let main = MAIN_FILES.iter().find(|(beginning, _)| name.starts_with(beginning));
        kind = main.map(|(_, kind)| *kind).or(kind);
    });
    match kind {
        Some(kind) => Container::Kind(kind),
        None if end.is_some() => Container::Kind(&table::ZIP),
        None => Container::Broken,
    }
}

/// Calls a function with the name of each file in the directory, or, in a damaged archive, with what follows each header of a
/// file, which begins with its name. `end` is where the end of the directory is.
fn each_name(bytes: &[u8], end: Option<usize>, mut with: impl FnMut(&[u8])) {
    let number = |at: usize, length: usize| {
        let bytes = bytes.get(at..at.checked_add(length)?)?;
        Some(bytes.iter().rev().fold(0usize, |n, b| n << 8 | usize::from(*b)))
    };
    let mut at = end.and_then(|end| number(end + 16, 4)).unwrap_or(usize::MAX);
    let mut is_found = false;
    while bytes.get(at..).is_some_and(|rest| rest.starts_with(ENTRY)) {
        let (Some(name), Some(extra), Some(comment)) =
            (number(at + 28, 2), number(at + 30, 2), number(at + 32, 2))
        else {
            break;
        };
        with(bytes.get(at + 46..at + 46 + name).unwrap_or_default());
        is_found = true;
        at += 46 + name + extra + comment;
    }
    if !is_found {
        for at in find_iter(bytes, FILE) {
            with(bytes.get(at + 30..).unwrap_or_default());
        }
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
