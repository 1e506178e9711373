//! Text: decoding, and what is passed through.

mod decode;
mod title;

use std::borrow::Cow;

use kb_rag_core::extract_protocol::{Failure, Page, Properties};

pub use self::decode::{charset, decode};
pub(crate) use self::title::first_heading;
use crate::{File, Text};

/// The text of a file that is text already: Markdown, or anything else such as CSV, JSON and source code. Nothing of it is
/// changed but the encoding and the line ends. Form feeds stay where they are.
///
/// Markdown has a title, its own or that of its front matter, and perhaps a language.
///
/// # Errors
/// None. Bytes that are not text are of no [kind](File::kind) that comes here.
pub fn extract(file: &File, markdown: bool) -> Result<Text, Failure> {
    let declared = file.mime_type.and_then(charset);
    let content = decode(file.bytes, declared).into_owned();
    let mut properties = Properties { markdown, ..Properties::default() };
    if markdown {
        let front = title::front_matter(&content);
        properties.title = front.title.or_else(|| first_heading(front.rest));
        properties.language = front.language;
    }
    Ok(Text { properties, pages: vec![Page { content, error: None }] })
}

/// A text with `\n` at the end of each line, without NUL, which PostgreSQL's texts cannot hold.
fn normalize(text: Cow<'_, str>) -> Cow<'_, str> {
    if memchr::memchr2(b'\r', 0, text.as_bytes()).is_none() {
        return text;
    }
    let mut normal = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = memchr::memchr2(b'\r', 0, rest.as_bytes()) {
        normal.push_str(&rest[..at]);
        if rest.as_bytes()[at] == b'\r' {
            normal.push('\n');
            rest = rest[at + 1..].strip_prefix('\n').unwrap_or(&rest[at + 1..]);
        } else {
            rest = &rest[at + 1..];
        }
    }
    normal.push_str(rest);
    Cow::Owned(normal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalizes_line_ends() {
        for (text, expected) in [
            ("", ""),
            ("a\nb", "a\nb"),
            ("a\r\nb\rc\n\rd\r\r\ne\r", "a\nb\nc\n\nd\n\ne\n"),
            ("\0a\0\r\0\nb\0", "a\n\nb"),
            ("page\u{c}page", "page\u{c}page"),
        ] {
            assert_eq!(normalize(text.into()), expected, "{text:?}");
        }
    }

    #[test]
    fn passes_text_through() {
        let text = |bytes: &[u8], mime_type: Option<&str>, markdown| {
            let file = File { bytes, mime_type, ..File::default() };
            extract(&file, markdown).unwrap()
        };
        let read = text(b"# A\r\n\r\nb\x0c", None, true);
        assert_eq!(read.pages, [Page { content: "# A\n\nb\u{c}".into(), error: None }]);
        assert_eq!(read.properties.title.as_deref(), Some("A"));
        assert!(read.properties.markdown && !read.properties.paged);
        let read = text(b"# A", None, false);
        assert_eq!(read.properties, Properties::default());
        assert_eq!(text(b"", None, false).pages, [Page::default()]);
        assert_eq!(text(b"caf\xe9", Some("text/plain; charset=latin1"), false).pages[0].content, "café");
    }
}
