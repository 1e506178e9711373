//! Reading and writing a tag.

use std::borrow::Cow;

/// How many attributes of a tag are kept. The parser compares each with all before it.
const ATTRIBUTES: usize = 64;
/// How long a value may be, in bytes. Longer ones, such as images in `data:` URIs, are left out.
const VALUE: usize = 32 * 1024;

/// A tag, with the attributes that are kept.
#[derive(Debug)]
pub(super) struct Tag<'a> {
    /// In lower case.
    pub(super) name: String,
    pub(super) end: bool,
    /// Whether it ends with `/>`.
    pub(super) closed: bool,
    attributes: Vec<(&'a str, Cow<'a, str>)>,
}

impl Tag<'_> {
    /// The value of an attribute, with its character references.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, value)| &**value)
    }

    /// Writes a start tag.
    pub(super) fn write(&self, out: &mut String) {
        out.push('<');
        out.push_str(&self.name);
        for (name, value) in &self.attributes {
            out.push(' ');
            out.push_str(name);
            if !value.is_empty() {
                out.push_str("=\"");
                out.push_str(value);
                out.push('"');
            }
        }
        out.push_str(if self.closed { "/>" } else { ">" });
    }
}

/// Reads a tag at the beginning of a text, and returns what follows. None if it is none or has no end.
///
/// This follows the states of the tokenizer in the HTML standard (section 13.2.5).
pub(super) fn read_tag(text: &str) -> Option<(Tag<'_>, &str)> {
    let bytes = text.as_bytes();
    let end = bytes.get(1) == Some(&b'/');
    let start = if end { 2 } else { 1 };
    if bytes.first() != Some(&b'<') || !bytes.get(start).is_some_and(u8::is_ascii_alphabetic) {
        return None;
    }
    let mut at = start + length(&bytes[start..], |b| !is_space(b) && b != b'/' && b != b'>');
    let name = &text[start..at];
    let mut tag = Tag { name: name.to_ascii_lowercase(), end, closed: false, attributes: Vec::new() };
    loop {
        at += length(&bytes[at..], |b| is_space(b) || b == b'/');
        match bytes.get(at)? {
            b'>' => {
                tag.closed = bytes[at - 1] == b'/';
                // Names of more than 64 bytes are nobody's.
                if tag.name.len() > 64 || !tag.name.is_ascii() || tag.name.contains(['<', '"', '\'']) {
                    "span".clone_into(&mut tag.name);
                }
                return Some((tag, &text[at + 1..]));
            }
            _ => at = attribute(text, at, &mut tag)?,
        }
    }
}

/// Reads the attribute at a place, and returns the place after it.
fn attribute<'a>(text: &'a str, start: usize, tag: &mut Tag<'a>) -> Option<usize> {
    let bytes = text.as_bytes();
    // A name may begin with `=`.
    let mut at =
        start + 1 + length(bytes.get(start + 1..)?, |b| !is_space(b) && !matches!(b, b'/' | b'>' | b'='));
    let name = text.get(start..at)?;
    let next = at + length(&bytes[at..], is_space);
    let mut value = "";
    if bytes.get(next) == Some(&b'=') {
        at = next + 1;
        at += length(&bytes[at..], is_space);
        match bytes.get(at)? {
            quote @ (b'"' | b'\'') => {
                let end = memchr::memchr(*quote, &bytes[at + 1..])?;
                value = text.get(at + 1..at + 1 + end)?;
                at += end + 2;
            }
            b'>' => (),
            _ => {
                let end = length(&bytes[at..], |b| !is_space(b) && b != b'>');
                value = text.get(at..at + end)?;
                at += end;
            }
        }
    }
    let plain = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b':' | b'.');
    let wanted = !tag.end && name.len() <= 64 && name.as_bytes().iter().all(plain);
    if wanted && value.len() <= VALUE && tag.attributes.len() < ATTRIBUTES {
        let value = if value.contains('"') { value.replace('"', "&quot;").into() } else { value.into() };
        tag.attributes.push((name, value));
    }
    Some(at)
}

fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}

/// How many bytes at the beginning are of a kind.
fn length(bytes: &[u8], of: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|b| !of(*b)).unwrap_or(bytes.len())
}
