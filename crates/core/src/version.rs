//! Versions of what makes documents and chunks: documents keep those that made them, so that they are known to be outdated
//! after an update.
//!
//! A version rises with each release in which the output changes for any input. Tests over samples
//! (`crates/extract/tests/versions.rs`, `crates/core/tests/versions.rs`) fail when the output changes and the version did not.
//! A version never falls, and a reader keeps its name: both are stored.

use crate::file_kind::Reader;

/// The version of the chunker ([`crate::chunk`]). Those of kb_rag 0.3 are not stored.
pub const CHUNKER: i32 = 2;

/// The name under which documents keep the [`CHUNKER`], in lists of versions.
pub const CHUNKER_NAME: &str = "chunker";

/// The name of what reads the answers of Firecrawl ([`crate::web::firecrawl`]).
pub const FIRECRAWL: &str = "firecrawl";

/// The readers by the names that documents keep, each with its version.
pub const READERS: [(&str, i32); 8] = [
    ("docx", 2),
    (FIRECRAWL, 1),
    ("html", 2),
    ("markdown", 2),
    ("notebook", 1),
    ("pdf", 2),
    ("subtitles", 1),
    ("text", 2),
];

impl Reader {
    /// The name that documents keep.
    pub const fn name(self) -> &'static str {
        match self {
            Reader::Pdf => "pdf",
            Reader::Docx => "docx",
            Reader::Html => "html",
            Reader::Markdown => "markdown",
            Reader::Notebook => "notebook",
            Reader::Subtitles => "subtitles",
            Reader::Text => "text",
        }
    }
}

/// The version of a reader; None for a name that no reader has.
pub fn of_reader(name: &str) -> Option<i32> {
    READERS.iter().find(|(known, _)| *known == name).map(|(_, version)| *version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reader_has_a_version() {
        for reader in Reader::ALL {
            assert!(of_reader(reader.name()).is_some_and(|version| version > 0), "{reader:?}");
        }
        let names: Vec<&str> = READERS.iter().map(|(name, _)| *name).collect();
        assert!(names.is_sorted() && !names.contains(&CHUNKER_NAME));
        assert_eq!(of_reader("odt"), None);
    }
}
