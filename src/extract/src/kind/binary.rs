//! Kinds of files that are no text, by their bytes.

use memchr::memmem::find;

use super::Kind;
use crate::text;

/// How much is looked at to find out whether bytes are text.
const SAMPLE: usize = 1 << 20;

pub(super) const OLE: [u8; 8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];

/// The kind of bytes that are no text: one that is read, or the name of another with an article. None for text.
///
/// `said_pdf`: the name or the declared type says that it is a PDF file.
pub(super) fn of(bytes: &[u8], said_pdf: bool) -> Option<Result<Kind, &'static str>> {
    let is_text = is_text(&bytes[..bytes.len().min(SAMPLE)]);
    if is_pdf(bytes, !is_text || said_pdf) {
        return Some(Ok(Kind::Pdf));
    }
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        return Some(of_zip(bytes));
    }
    if bytes.starts_with(&OLE) {
        return Some(of_ole(bytes));
    }
    if bytes.starts_with(b"{\\rtf") {
        return Some(Err("an RTF file"));
    }
    if bytes.starts_with(b"%!PS-") {
        return Some(Err("a PostScript file"));
    }
    if is_text { None } else { Some(Err(name(bytes))) }
}

/// A PDF file begins with its header. Readers accept junk of up to 1,024 bytes before it; so may a text that quotes it.
fn is_pdf(bytes: &[u8], likely: bool) -> bool {
    let beginning = &bytes[..bytes.len().min(1024)];
    match find(beginning, b"%PDF-") {
        Some(at) => likely || beginning[..at].trim_ascii() == b"" || &beginning[..at] == b"\xEF\xBB\xBF",
        None => false,
    }
}

/// Whether bytes are text: UTF-16 or UTF-32, or with hardly any control characters. A tenth of the bytes of a
/// compressed file are control characters, and no encoding of text uses more than the few that are left out here.
fn is_text(sample: &[u8]) -> bool {
    if text::wide(sample).is_some() {
        return true;
    }
    let strange = |b: &u8| b.is_ascii() && text::is_strange(char::from(*b));
    sample.iter().filter(|b| strange(b)).count() * 50 <= sample.len()
}

fn of_zip(bytes: &[u8]) -> Result<Kind, &'static str> {
    // The first file of EPUB and OpenDocument says what they are, uncompressed.
    let beginning = &bytes[..bytes.len().min(256)];
    for (mark, name) in [
        (b"mimetypeapplication/epub+zip".as_slice(), "an EPUB file"),
        (b"mimetypeapplication/vnd.oasis.opendocument.text", "an ODT file"),
        (b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "an ODS file"),
        (b"mimetypeapplication/vnd.oasis.opendocument.presentation", "an ODP file"),
    ] {
        if find(beginning, mark).is_some() {
            return Err(name);
        }
    }
    let mut kind = Err("a ZIP archive");
    each_name(bytes, |name| match name {
        _ if name.starts_with(b"word/document") => kind = Ok(Kind::Docx),
        _ if name.starts_with(b"xl/workbook") => kind = Err("an XLSX file"),
        _ if name.starts_with(b"ppt/presentation") => kind = Err("a PPTX file"),
        _ => (),
    });
    kind
}

/// Calls a function with the name of each file in the central directory, or, in a damaged archive, with each name that
/// follows a file's header.
fn each_name(bytes: &[u8], mut with: impl FnMut(&[u8])) {
    let number = |at: usize, length: usize| {
        let bytes = bytes.get(at..at.checked_add(length)?)?;
        Some(bytes.iter().rev().fold(0usize, |n, b| n << 8 | usize::from(*b)))
    };
    let tail = bytes.len().saturating_sub(66_000);
    let end = memchr::memmem::rfind(&bytes[tail..], b"PK\x05\x06").map(|at| tail + at);
    let mut at = end.and_then(|end| number(end + 16, 4)).unwrap_or(usize::MAX);
    let mut found = false;
    while bytes.get(at..).is_some_and(|rest| rest.starts_with(b"PK\x01\x02")) {
        let (Some(name), Some(extra), Some(comment)) =
            (number(at + 28, 2), number(at + 30, 2), number(at + 32, 2))
        else {
            break;
        };
        with(bytes.get(at + 46..at + 46 + name).unwrap_or_default());
        found = true;
        at += 46 + name + extra + comment;
    }
    if !found {
        for at in memchr::memmem::find_iter(bytes, b"PK\x03\x04") {
            with(bytes.get(at + 30..).unwrap_or_default());
        }
    }
}

/// Files of Office before 2007, and encrypted files of Office since then. Names of streams are in UTF-16.
fn of_ole(bytes: &[u8]) -> Result<Kind, &'static str> {
    let has = |name: &str| {
        find(bytes, &name.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>()).is_some()
    };
    match () {
        () if has("EncryptedPackage") => Ok(Kind::Docx),
        () if has("WordDocument") => Err("a DOC file (Word 97 to 2003)"),
        () if has("Workbook") => Err("an XLS file (Excel 97 to 2003)"),
        () if has("PowerPoint Document") => Err("a PPT file (PowerPoint 97 to 2003)"),
        () if has("__properties_version1.0") => Err("an Outlook message"),
        () => Err("a binary file"),
    }
}

/// The name of a kind that cannot be read, with an article.
fn name(bytes: &[u8]) -> &'static str {
    let Some(found) = infer::get(bytes) else {
        return "a binary file";
    };
    match found.extension() {
        "png" => "a PNG image",
        "jpg" => "a JPEG image",
        "gif" => "a GIF image",
        "webp" => "a WebP image",
        "tif" => "a TIFF image",
        "gz" => "a gzip file",
        "tar" => "a tar archive",
        "7z" => "a 7z archive",
        "rar" => "a RAR archive",
        "bz2" | "xz" | "zst" | "lz" | "lz4" | "Z" => "a compressed file",
        "sqlite" => "an SQLite database",
        "class" | "wasm" | "elf" | "exe" | "dll" | "mach" | "dex" | "obj" | "bc" => "a program",
        _ => match found.matcher_type() {
            infer::MatcherType::Image => "an image",
            infer::MatcherType::Audio => "an audio file",
            infer::MatcherType::Video => "a video",
            infer::MatcherType::Font => "a font",
            infer::MatcherType::Archive => "an archive",
            infer::MatcherType::App => "a program",
            _ => "a binary file",
        },
    }
}
