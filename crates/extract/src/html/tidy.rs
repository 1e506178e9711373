//! Bounds a page before it is parsed.
//!
//! The parser takes time in proportion to the square of the depth of elements, of the attributes of a tag, and of the
//! formatting elements that are open: 512 KB of nested lists take it 94 s. And it repeats elements of formatting that are not
//! closed in each paragraph that follows. [`tidy`] reads a page once, in linear time, and writes it again without what
//! causes that and without what is never read: comments, and the content of scripts, styles and the like.

mod stack;
mod tag;

use self::stack::Stack;
use self::tag::{Tag, read_tag};

/// How many elements may be inside each other. No real page is that deep: browsers stop at 512.
const DEPTH: usize = 150;
/// How many `code` elements may be open.
const CODES: usize = 4;

/// Elements without content.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
];
/// Elements whose content is text, never tags, and is left out.
const RAW: [&str; 8] = ["script", "style", "noscript", "iframe", "noembed", "noframes", "textarea", "xmp"];
/// Elements of formatting, which the parser opens again after each block while they are not closed. Nothing depends on them
/// here: they become `span`, or `del`, which the parser does not open again.
const FORMATTING: [&str; 10] = ["b", "big", "em", "font", "i", "nobr", "small", "strong", "tt", "u"];
const STRUCK: [&str; 2] = ["s", "strike"];

/// Writes a page again: the same for a reader, bounded for the parser.
pub(super) fn tidy(page: &str) -> String {
    let mut tidy = Tidy { out: String::with_capacity(page.len()), ..Tidy::default() };
    tidy.read(page);
    tidy.out
}

#[derive(Debug, Default)]
struct Tidy {
    out: String,
    open: Stack,
}

impl Tidy {
    fn read(&mut self, page: &str) {
        let mut rest = page;
        while let Some(at) = memchr::memchr(b'<', rest.as_bytes()) {
            self.out.push_str(&rest[..at]);
            rest = &rest[at..];
            rest = if let Some(inside) = rest.strip_prefix("<!--") {
                after_comment(inside)
            } else if let Some(data) =
                self.open.in_foreign().then(|| rest.strip_prefix("<![CDATA[")).flatten()
            {
                after(data, "]]>")
            } else if starts_declaration(rest) {
                self.declaration(rest)
            } else if let Some((tag, after)) = read_tag(rest) {
                self.tag(tag, after)
            } else if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '/') {
                // A tag without an end is none.
                ""
            } else {
                self.out.push_str("&lt;");
                &rest[1..]
            };
        }
        self.out.push_str(rest);
    }

    /// `<!...>`, `<?...>` and `</ ...>`.
    fn declaration<'a>(&mut self, rest: &'a str) -> &'a str {
        let after = after(rest, ">");
        let whole = &rest[..rest.len() - after.len()];
        if whole.len() < 1024 && whole.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("<!doctype")) {
            self.out.push_str(whole);
        }
        after
    }

    /// Handles a tag, and returns the rest of the page after it, or after the content that goes with it.
    fn tag<'a>(&mut self, mut tag: Tag<'a>, after: &'a str) -> &'a str {
        if FORMATTING.contains(&tag.name.as_str()) {
            tag.name = "span".to_owned();
        } else if STRUCK.contains(&tag.name.as_str()) {
            tag.name = "del".to_owned();
        }
        let name = tag.name.as_str();
        if tag.end {
            self.end(name);
            return after;
        }
        if RAW.contains(&name) {
            return if tag.closed && self.open.in_foreign() { after } else { self.raw(&tag, after) };
        }
        self.open.break_out(name);
        match name {
            // Its content is text up to the end tag.
            "title" if !self.open.in_foreign() => {
                let (content, after) = raw_content("title", after);
                self.out.push_str("<title>");
                self.out.push_str(&content.replace('<', "&lt;"));
                self.out.push_str("</title>");
                after
            }
            "select" => after_select(after),
            "option" | "optgroup" | "plaintext" | "frameset" | "frame" => after,
            "html" | "head" | "body" => {
                tag.write(&mut self.out);
                after
            }
            _ if VOID.contains(&name) || tag.closed && self.open.in_foreign() => {
                if name == "hr" {
                    self.open.make_room(name);
                }
                tag.write(&mut self.out);
                after
            }
            _ => {
                self.start(&tag);
                after
            }
        }
    }

    fn start(&mut self, tag: &Tag) {
        let name = tag.name.as_str();
        if !self.open.make_room(name) {
            // A cell without a table: the parser leaves out the tag.
            self.out.push(' ');
            return;
        }
        let kept = self.open.depth() < DEPTH && (name != "code" || self.open.count(name) < CODES);
        if kept {
            tag.write(&mut self.out);
        }
        self.open.push(name, kept);
    }

    fn end(&mut self, name: &str) {
        if matches!(name, "br" | "p") {
            self.open.break_out(name);
        }
        if name == "br" {
            self.out.push_str("<br>");
        } else if self.open.close(name) {
            self.write_end(name);
        }
    }

    fn write_end(&mut self, name: &str) {
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
    }

    /// Leaves out the content of an element, but keeps structured data, which may have the text of the page.
    fn raw<'a>(&mut self, tag: &Tag, after: &'a str) -> &'a str {
        let name = tag.name.as_str();
        let (content, after) = raw_content(name, after);
        if name == "xmp" {
            self.out.push_str("<pre>");
            self.out.push_str(&content.replace('&', "&amp;").replace('<', "&lt;"));
            self.out.push_str("</pre>");
        } else if name == "script" {
            tag.write(&mut self.out);
            if tag.attribute("type").is_some_and(|value| value.eq_ignore_ascii_case("application/ld+json")) {
                self.out.push_str(content);
            }
            self.out.push_str("</script>");
        }
        after
    }
}

fn starts_declaration(rest: &str) -> bool {
    let mut chars = rest.chars().skip(1);
    match chars.next() {
        Some('!' | '?') => true,
        Some('/') => !chars.next().is_none_or(|c| c.is_ascii_alphabetic()),
        _ => false,
    }
}

/// What follows a mark, or nothing.
fn after<'a>(text: &'a str, mark: &str) -> &'a str {
    memchr::memmem::find(text.as_bytes(), mark.as_bytes()).map_or("", |at| &text[at + mark.len()..])
}

/// What follows a comment that has begun.
fn after_comment(inside: &str) -> &str {
    if let Some(rest) = inside.strip_prefix('>').or_else(|| inside.strip_prefix("->")) {
        return rest;
    }
    let mut at = 0;
    while let Some(found) = memchr::memmem::find(&inside.as_bytes()[at..], b"--") {
        at += found;
        let rest = &inside[at + 2..];
        if let Some(rest) = rest.strip_prefix('>').or_else(|| rest.strip_prefix("!>")) {
            return rest;
        }
        at += 1;
    }
    ""
}

/// The content of an element of text, and what follows its end tag.
fn raw_content<'a>(name: &str, text: &'a str) -> (&'a str, &'a str) {
    let bytes = text.as_bytes();
    let is_tag = |at: usize, mark: &str| {
        let after = &bytes[at..];
        let length = mark.len() + name.len();
        after.starts_with(mark.as_bytes())
            && after.get(mark.len()..length).is_some_and(|n| n.eq_ignore_ascii_case(name.as_bytes()))
            && after.get(length).is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b'>' | b'/'))
    };
    // In a script, a comment may have a script, whose end tag does not end it: the standard's "double escaped state".
    let (mut comment, mut inner) = (false, false);
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'<', b'-', &bytes[at..]) {
        at += found;
        if is_tag(at, "</") {
            if !inner {
                let rest = read_tag(&text[at..]).map_or("", |(_, rest)| rest);
                return (&text[..at], rest);
            }
            inner = false;
        } else if name == "script" {
            if bytes[at..].starts_with(b"<!--") {
                comment = true;
                // `<!-->` is a whole comment.
                at += 1;
            } else if bytes[at..].starts_with(b"-->") {
                (comment, inner) = (false, false);
            } else if comment && is_tag(at, "<") {
                inner = true;
            }
        }
        at += 1;
    }
    (text, "")
}

/// What follows a list of choices. The parser ends it at the next tag that does not belong to it.
fn after_select(text: &str) -> &str {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'<', rest.as_bytes()) {
        rest = &rest[at..];
        if let Some(inside) = rest.strip_prefix("<!--") {
            rest = after_comment(inside);
            continue;
        }
        match read_tag(rest) {
            Some((tag, after)) if tag.name == "select" => return if tag.end { after } else { rest },
            Some((tag, after)) if matches!(tag.name.as_str(), "option" | "optgroup" | "hr" | "span") => {
                rest = after
            }
            Some(_) => return rest,
            None if rest[1..].starts_with(|c: char| c.is_ascii_alphabetic()) => return "",
            None => rest = &rest[1..],
        }
    }
    ""
}

#[cfg(test)]
mod tests;
