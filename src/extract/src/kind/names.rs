//! What MIME types and file names say.

use super::Kind;

/// A kind that can be read, or the name of a kind that cannot, with an article. None if nothing is said.
pub(super) type Said = Option<Result<Kind, &'static str>>;

/// A MIME type without its parameters, in lower case.
pub(super) fn essence(mime_type: &str) -> String {
    mime_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// What a MIME type says. Unknown types over text say nothing: there are too many of them for formats that are text.
pub(super) fn of_mime_type(essence: &str) -> Said {
    Some(match essence {
        "text/html" | "application/xhtml+xml" => Ok(Kind::Html),
        "text/markdown" | "text/x-markdown" => Ok(Kind::Markdown),
        "application/pdf" | "application/x-pdf" => Ok(Kind::Pdf),
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
        | "application/vnd.ms-word.document.macroenabled.12" => Ok(Kind::Docx),
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" => Err("an XLSX file"),
        "application/vnd.openxmlformats-officedocument.presentationml.presentation" => Err("a PPTX file"),
        "application/epub+zip" => Err("an EPUB file"),
        "application/vnd.oasis.opendocument.text" => Err("an ODT file"),
        "application/zip" | "application/x-zip-compressed" => Err("a ZIP archive"),
        "application/msword" => Err("a DOC file (Word 97 to 2003)"),
        "application/vnd.ms-excel" => Err("an XLS file (Excel 97 to 2003)"),
        "application/vnd.ms-powerpoint" => Err("a PPT file (PowerPoint 97 to 2003)"),
        "application/rtf" | "text/rtf" => Err("an RTF file"),
        "application/postscript" => Err("a PostScript file"),
        "message/rfc822" | "multipart/related" => Err("an e-mail message"),
        "image/svg+xml" => Err("an SVG image"),
        "image/png" => Err("a PNG image"),
        "image/jpeg" => Err("a JPEG image"),
        "image/gif" => Err("a GIF image"),
        "application/gzip" => Err("a gzip file"),
        _ => match essence.split_once('/') {
            Some(("text", _)) => Ok(Kind::Text),
            Some(("image", _)) => Err("an image"),
            Some(("audio", _)) => Err("an audio file"),
            Some(("video", _)) => Err("a video"),
            Some(("font", _)) => Err("a font"),
            Some(("application", "json" | "xml" | "javascript" | "yaml" | "toml" | "sql" | "x-ndjson")) => {
                Ok(Kind::Text)
            }
            Some(("application", rest)) if rest.ends_with("+json") || rest.ends_with("+xml") => {
                Ok(Kind::Text)
            }
            _ => return None,
        },
    })
}

/// The extension of a file name, in lower case, without the dot.
pub(super) fn extension(filename: &str) -> Option<String> {
    let name = filename.rsplit(['/', '\\']).next()?;
    let (stem, extension) = name.rsplit_once('.')?;
    (!stem.is_empty()).then(|| extension.to_ascii_lowercase())
}

/// What an extension says of a file that is text.
pub(super) fn of_extension(extension: &str) -> Said {
    Some(match extension {
        "html" | "htm" | "xhtml" | "xht" => Ok(Kind::Html),
        "md" | "markdown" | "mdown" | "mkd" | "mdx" => Ok(Kind::Markdown),
        "pdf" => Ok(Kind::Pdf),
        "docx" | "docm" => Ok(Kind::Docx),
        "rtf" => Err("an RTF file"),
        "svg" => Err("an SVG image"),
        "eml" | "mht" | "mhtml" => Err("an e-mail message"),
        "ps" | "eps" => Err("a PostScript file"),
        _ if TEXT.contains(&extension) => Ok(Kind::Text),
        _ => return None,
    })
}

/// Extensions of text that may begin as a page does: templates, source code, data.
const TEXT: [&str; 66] = [
    "adoc",
    "asciidoc",
    "asm",
    "awk",
    "bash",
    "bat",
    "bib",
    "c",
    "cc",
    "cfg",
    "clj",
    "cmake",
    "conf",
    "cpp",
    "cs",
    "css",
    "csv",
    "dart",
    "diff",
    "erb",
    "erl",
    "ex",
    "go",
    "gradle",
    "graphql",
    "h",
    "hpp",
    "hs",
    "ini",
    "ipynb",
    "java",
    "jinja",
    "jl",
    "js",
    "json",
    "jsonl",
    "jsx",
    "kt",
    "log",
    "lua",
    "ml",
    "org",
    "patch",
    "php",
    "pl",
    "properties",
    "proto",
    "ps1",
    "py",
    "r",
    "rb",
    "rs",
    "rst",
    "scala",
    "scss",
    "sh",
    "sql",
    "swift",
    "tex",
    "toml",
    "ts",
    "tsx",
    "tsv",
    "txt",
    "vue",
    "xml",
];
