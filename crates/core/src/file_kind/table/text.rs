//! Text that is read as it is, apart from programs.

use crate::file_kind::kind::{Handling, Kind, Reader};

/// Text of which nothing else is known.
pub const PLAIN_TEXT: Kind = prose("plain text", "text txt").with_types("text/plain");

/// Text of a type that has no row.
pub const OTHER_TEXT: Kind = text("text", "");

/// XML, also of types that are based on it.
pub const XML: Kind = text("XML", "xml").with_types("application/xml text/xml");

pub(super) const KINDS: [Kind; 20] = [
    // Files of repositories that are named by what they say.
    prose("documentation", "")
        .with_names("changelog contributing license notice readme")
        .with_types("text/x-readme"),
    PLAIN_TEXT,
    prose("AsciiDoc", "adoc asciidoc").with_types("text/x-asciidoc"),
    prose("Org", "org").with_types("text/x-org"),
    prose("reStructuredText", "rst").with_types("text/x-rst"),
    prose("Textile", "textile"),
    OTHER_TEXT,
    text("BibTeX", "bib"),
    text("a configuration", "conf"),
    records("CSV", "csv").with_types("text/csv"),
    text("ERB", "erb"),
    text("gettext", "po"),
    text("Jinja", "jinja"),
    text("JSON lines", "jsonl ndjson").with_types("application/x-ndjson"),
    text("a log", "log").with_types("text/x-log"),
    text("a patch", "diff patch"),
    text("properties", "properties"),
    text("TeX", "tex").with_types("text/x-tex"),
    records("TSV", "tsv").with_types("text/tab-separated-values"),
    XML,
];

const fn prose(name: &'static str, endings: &'static str) -> Kind {
    Kind::new(name, Handling::Prose, endings)
}

const fn records(name: &'static str, endings: &'static str) -> Kind {
    Kind::new(name, Handling::Records, endings)
}

const fn text(name: &'static str, endings: &'static str) -> Kind {
    Kind::new(name, Handling::Read(Reader::Text), endings)
}
