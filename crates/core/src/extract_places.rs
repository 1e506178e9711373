//! The places in which files are read: as many as there may be programs at a time, in all databases of a server.
//!
//! Where there are two or more, one is kept for files that are quick by kind, so that no text waits for a PDF file. Of the
//! others, one database takes all but one at most, so that another that comes does not wait for its files.

use std::ops::RangeInclusive;

use crate::file_kind::{Handling, Reader, recognize};

/// A file with more bytes is not quick, whatever it is.
pub const MAX_QUICK_BYTES: usize = 16 << 20;

/// Whether a file is read in no time, or refused: not PDF, DOCX and HTML, whose contents decide how long that takes.
pub fn is_quick(bytes: &[u8], filename: Option<&str>, mime_type: Option<&str>) -> bool {
    bytes.len() <= MAX_QUICK_BYTES
        && !matches!(
            recognize(bytes, filename, mime_type).handling,
            Handling::Read(Reader::Pdf | Reader::Docx | Reader::Html)
        )
}

/// The places of a server. Their numbers mean the same whatever their number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Places(u32);

impl Places {
    /// So many; at least one.
    pub fn new(number: u32) -> Self {
        Self(number.max(1))
    }

    /// The place that is kept for quick files.
    pub fn kept(self) -> Option<u32> {
        (self.0 > 1).then_some(0)
    }

    /// The places for files of all kinds.
    pub fn common(self) -> RangeInclusive<u32> {
        1..=(self.0 - 1).max(1)
    }

    /// How many of the common places one database may take.
    pub fn share(self) -> u32 {
        self.0.saturating_sub(2).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_kept_and_no_database_takes_all() {
        for number in 1..=64 {
            let places = Places::new(number);
            let common = places.common().count() as u32;
            let kept = u32::from(places.kept().is_some());
            assert_eq!(common + kept, number);
            assert!(places.kept().is_none_or(|kept| !places.common().contains(&kept)));
            assert_eq!(kept, u32::from(number > 1), "{number}");
            assert!((1..=common).contains(&places.share()));
            assert!(number < 3 || places.share() + kept < number, "{number}");
        }
        assert_eq!(Places::new(0), Places::new(1));
    }

    #[test]
    fn quick_files() {
        for (bytes, filename, mime_type, expected) in [
            (&b"Some words."[..], None, None, true),
            (b"# Title\n\nText", Some("a.md"), None, true),
            (b"{\"a\": 1}", Some("a.json"), None, true),
            (b"a,b\n1,2", Some("a.csv"), Some("text/csv"), true),
            (b"fn main() {}", Some("main.rs"), None, true),
            (b"", None, None, true),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Some("logo.png"), None, true),
            (b"%PDF-1.7 ", Some("a.txt"), Some("text/plain"), false),
            (b"\0\x01\x02", Some("a.pdf"), None, false),
            (b"PK\x03\x04\0\0word/document.xml", Some("a.docx"), None, false),
            (b"<!doctype html><p>Text", None, None, false),
            (b"Some words.", Some("a.html"), None, false),
        ] {
            assert_eq!(is_quick(bytes, filename, mime_type), expected, "{filename:?}");
        }
        let large = vec![b'a'; MAX_QUICK_BYTES + 1];
        assert!(!is_quick(&large, Some("a.txt"), None));
        assert!(is_quick(&large[1..], Some("a.txt"), None));
    }
}
