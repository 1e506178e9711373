//! Documents that nothing reads yet.

use crate::file_kind::kind::{Handling, Kind};

/// A document of Word 97 to 2003.
pub const DOC: Kind = bytes("a DOC file (Word 97 to 2003)", "doc").with_types("application/msword");

/// A document of Office with a password.
pub const ENCRYPTED_OFFICE: Kind = bytes("an encrypted Office file", "");

/// A book.
pub const EPUB: Kind = bytes("an EPUB file", "epub").with_types("application/epub+zip");

/// Slides of OpenDocument.
pub const ODP: Kind = bytes("an ODP file", "odp");

/// A table of OpenDocument.
pub const ODS: Kind = bytes("an ODS file", "ods");

/// A text of OpenDocument.
pub const ODT: Kind = bytes("an ODT file", "odt").with_types("application/vnd.oasis.opendocument.text");

/// A message of Outlook.
pub const OUTLOOK: Kind = bytes("an Outlook message", "msg");

/// Slides of PowerPoint 97 to 2003.
pub const PPT: Kind =
    bytes("a PPT file (PowerPoint 97 to 2003)", "pps ppt").with_types("application/vnd.ms-powerpoint");

/// Slides of PowerPoint.
pub const PPTX: Kind = bytes("a PPTX file", "potx ppsx pptm pptx")
    .with_types("application/vnd.openxmlformats-officedocument.presentationml.presentation");

/// A table of Excel 97 to 2003.
pub const XLS: Kind =
    bytes("an XLS file (Excel 97 to 2003)", "xls xlt").with_types("application/vnd.ms-excel");

/// A table of Excel.
pub const XLSX: Kind = bytes("an XLSX file", "xlsb xlsm xlsx xltx")
    .with_types("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet");

/// Programs for browsers, also found by their long lines.
pub const MINIFIED: Kind = generated("a minified script or style sheet", "min.cjs min.css min.js min.mjs");

pub(super) const KINDS: [Kind; 20] = [
    MINIFIED,
    generated("a source map", "map"),
    generated("a lock file", "lock lockfile").with_names(
        "bun.lockb cartfile.resolved conda-lock.yml conda-lock.yaml go.sum go.work.sum \
         npm-shrinkwrap.json package-lock.json package.resolved packages.lock.json pnpm-lock.yaml pnpm-lock.yml \
         pylock.toml",
    ),
    DOC,
    ENCRYPTED_OFFICE,
    EPUB,
    ODP,
    ODS,
    ODT,
    OUTLOOK,
    PPT,
    PPTX,
    XLS,
    XLSX,
    bytes("a MOBI file", "mobi").with_marks(&[&[(60, b"BOOKMOBI")]]),
    bytes("a Visio file", "vsd vsdx"),
    markup("an e-mail message", "eml mht mhtml").with_types("message/rfc822 multipart/related"),
    markup("an RTF file", "rtf").with_types("application/rtf text/rtf").with_marks(&[&[(0, b"{\\rtf")]]),
    markup("an SVG image", "svg").with_types("image/svg+xml"),
    markup("a PostScript file", "eps ps")
        .with_types("application/postscript")
        .with_marks(&[&[(0, b"%!PS-")]]),
];

const fn bytes(name: &'static str, endings: &'static str) -> Kind {
    Kind::new(name, Handling::Unread, endings)
}

/// Text that a program wrote for programs.
const fn generated(name: &'static str, endings: &'static str) -> Kind {
    Kind::new(name, Handling::UnreadText, endings)
}

const fn markup(name: &'static str, endings: &'static str) -> Kind {
    Kind::new(name, Handling::UnreadText, endings)
}
