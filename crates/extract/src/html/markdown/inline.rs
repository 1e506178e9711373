//! Struck text and references to notes.

use dom_query::NodeRef;

use super::{Writer, is_block};

/// The longest text between a struck one and the one that was inserted for it, in characters.
const BETWEEN: usize = 24;
/// The longest reference to a note, in characters.
const REFERENCE: usize = 40;

impl Writer<'_> {
    /// Struck text no longer holds. It is left out if what holds instead follows it.
    pub(super) fn struck(&mut self, node: &NodeRef) {
        if is_replaced(node) {
            return;
        }
        if node
            .descendants_it()
            .any(|inner| inner.node_name().is_some_and(|name| is_block(&name) || is_part(&name)))
        {
            self.flush();
            self.struck += 1;
            self.children(node);
            self.flush();
            self.struck -= 1;
            return;
        }
        self.space |= node.text().starts_with(char::is_whitespace);
        let (start, space) = (self.line.len(), self.space);
        if self.struck == 0 {
            self.text("~~");
        }
        let begin = self.line.len();
        if self.struck == 0 {
            self.glued = begin;
        }
        self.struck += 1;
        self.children(node);
        self.struck -= 1;
        if self.line.len() == begin {
            self.line.truncate(start);
            self.space |= space;
        } else if self.struck == 0 {
            self.line.push_str("~~");
        }
        if self.struck == 0 {
            self.glued = 0;
        }
    }

    /// A reference to a note does not stick to the word before it.
    pub(super) fn reference(&mut self, node: &NodeRef) {
        let text = node.text();
        let text = text.trim();
        if text.is_empty() || text.chars().count() > REFERENCE || self.line.is_empty() {
            return self.children(node);
        }
        let is_bracketed = text.starts_with('[') && text.ends_with(']');
        let is_number = text.chars().count() <= 3
            && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '*' | '\u{2020}' | '\u{2021}'));
        if is_bracketed {
            self.space = true;
            self.children(node);
        } else if is_number && is_note(node) {
            self.space = true;
            self.text(&format!("[{text}]"));
        } else if let Some(raised) = raised(text).filter(|_| node.has_name("sup") && self.ends_with_digit()) {
            self.line.push_str(&raised);
            self.space = node.text().ends_with(char::is_whitespace);
        } else {
            self.children(node);
        }
    }

    /// Whether a digit would be a part of the number before it.
    fn ends_with_digit(&self) -> bool {
        !self.space && self.line.ends_with(|c: char| c.is_ascii_digit())
    }
}

/// The longest exponent, in characters.
const EXPONENT: usize = 4;

/// An exponent in raised characters: 105 is another number than 10⁵.
fn raised(text: &str) -> Option<String> {
    if text.chars().count() > EXPONENT || !text.ends_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    text.chars()
        .map(|c| match c {
            '+' => Some('⁺'),
            '-' | '\u{2212}' | '\u{2013}' => Some('⁻'),
            _ => "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(c.to_digit(10)? as usize),
        })
        .collect()
}

/// Whether it leads to a note.
fn is_note(node: &NodeRef) -> bool {
    let leads =
        |link: &NodeRef| link.has_name("a") && link.attr("href").is_some_and(|href| href.contains('#'));
    if node.has_name("a") {
        let role = node.attr("role").is_some_and(|role| &*role == "doc-noteref");
        return role || (leads(node) && node.descendants_it().any(|inner| inner.has_name("sup")));
    }
    node.descendants_it().any(|inner| leads(&inner))
        || node.ancestors_it(Some(2)).any(|around| leads(&around))
}

/// Whether inserted text follows a struck one, in its sentence.
fn is_replaced(node: &NodeRef) -> bool {
    let mut between = 0;
    let mut next = node.next_sibling();
    while let Some(sibling) = next {
        let text = sibling.text();
        if sibling.has_name("ins") {
            return !text.trim().is_empty();
        }
        if sibling.is_element() && sibling.node_name().is_some_and(|name| is_block(&name) || is_part(&name)) {
            return false;
        }
        between += text.chars().filter(|c| !c.is_whitespace()).count();
        if between > BETWEEN || text.contains(['.', '!', '?', ';']) {
            return false;
        }
        next = sibling.next_sibling();
    }
    false
}

fn is_part(name: &str) -> bool {
    matches!(
        name,
        "ul" | "ol" | "li" | "table" | "pre" | "blockquote" | "br" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6"
    )
}
