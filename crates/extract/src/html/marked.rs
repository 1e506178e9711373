//! What the extractor of the main content is given, and which elements of the page it has chosen.
//!
//! The extractor returns text and HTML of its own, without what it leaves out. The text of a page is to be written from the
//! page itself, so we must know which element the extractor has chosen. Each element that it may choose is given to it with a
//! mark at its beginning: white space that no page has otherwise, which counts for nothing in what the extractor measures. The
//! first mark in what it returns is that of the first block in the element that it has chosen.

use std::collections::HashMap;

use dom_query::{Document, NodeId, NodeRef};

use super::measure::Measures;

/// White space of which marks are made. In the page it becomes a space.
const DIGITS: [char; 14] = [
    '\u{1680}', '\u{2000}', '\u{2001}', '\u{2002}', '\u{2003}', '\u{2004}', '\u{2005}', '\u{2006}',
    '\u{2007}', '\u{2008}', '\u{2009}', '\u{200A}', '\u{205F}', '\u{3000}',
];
/// The elements that get a mark. White space must do nothing in them.
const MARKED: [&str; 34] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "caption",
    "center",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "summary",
    "td",
    "th",
    "ul",
];
/// The elements that may have the content, of those whose tags the extractor writes or takes for others.
const CONTAINERS: [&str; 12] = [
    "address",
    "article",
    "blockquote",
    "body",
    "center",
    "dd",
    "details",
    "div",
    "li",
    "main",
    "section",
    "td",
];
/// Elements that the extractor does not know or leaves out, and what it is given in their place: it would join the words at
/// their borders, or find too little.
const RENAMED: [(&str, &str); 20] = [
    ("details", "div"),
    ("summary", "p"),
    ("figcaption", "p"),
    ("address", "div"),
    ("center", "div"),
    ("hgroup", "div"),
    ("dir", "ul"),
    ("listing", "pre"),
    ("search", "div"),
    ("marquee", "div"),
    ("fieldset", "div"),
    ("legend", "p"),
    ("time", "span"),
    ("ins", "span"),
    ("output", "span"),
    ("label", "span"),
    ("meter", "span"),
    ("progress", "span"),
    ("data", "span"),
    ("button", "span"),
];
/// Elements without an end tag.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
];
/// Names by which the extractor removes elements at once, whatever they hold.
const REMOVED_NAMES: [&str; 4] = ["consent", "gdpr", "cookie", "modal"];

/// A page with marks.
#[derive(Debug)]
pub(super) struct Marked {
    pub(super) html: String,
    /// The element of each mark.
    elements: Vec<NodeId>,
    numbers: HashMap<NodeId, usize>,
    digits: usize,
}

impl Marked {
    /// Writes a page.
    pub(super) fn write(document: &Document, measures: &Measures) -> Marked {
        let elements: Vec<_> =
            document.root().descendants_it().filter(is_marked).map(|node| node.id).collect();
        let numbers = elements.iter().enumerate().map(|(number, id)| (*id, number)).collect();
        // Each element has two marks: at its beginning, and in its own text.
        let (mut digits, mut numbered) = (1, DIGITS.len());
        while numbered < 2 * elements.len() {
            digits += 1;
            numbered *= DIGITS.len();
        }
        let mut marked = Marked { html: String::new(), elements, numbers, digits };
        let whole = document.body().map_or(0, |body| measures.get(&body).characters);
        let mut html = String::new();
        for node in document.root().children_it(false) {
            marked.node(&node, None, &mut html, &|node| 2 * measures.get(node).characters > whole);
        }
        marked.html = html;
        marked
    }

    fn node(
        &self,
        node: &NodeRef,
        around: Option<usize>,
        out: &mut String,
        holds_most: &dyn Fn(&NodeRef) -> bool,
    ) {
        if node.is_text() {
            return self.text(node, around, out);
        }
        let Some(name) = node.node_name().filter(|_| node.is_element()) else { return };
        let tag = RENAMED.iter().find(|(from, _)| *from == &*name).map_or(&*name, |(_, to)| to);
        let tag = if tag == "figure" && has_code(node) { "div" } else { tag };
        out.push('<');
        out.push_str(tag);
        let free = holds_most(node);
        for attribute in node.attrs() {
            let value = &*attribute.value;
            let attribute = &*attribute.name.local;
            let lower = matches!(attribute, "class" | "id").then(|| value.to_ascii_lowercase());
            if free && lower.is_some_and(|name| REMOVED_NAMES.iter().any(|part| name.contains(part))) {
                continue;
            }
            out.push(' ');
            out.push_str(attribute);
            out.push_str("=\"");
            escape(value, true, out);
            out.push('"');
        }
        out.push('>');
        if VOID.contains(&tag) {
            return;
        }
        if tag == "script" {
            out.push_str(&node.text());
        } else {
            let number = self.numbers.get(&node.id).copied();
            if let Some(number) = number {
                self.mark(2 * number, out);
            }
            for child in node.children_it(false) {
                self.node(&child, number.or(around), out, holds_most);
            }
        }
        out.push_str("</");
        out.push_str(tag);
        out.push('>');
    }

    /// The first space between two words of an element's own text becomes a mark. So an element with nothing but text has one
    /// that is not at its borders, where the extractor leaves out white space.
    fn text(&self, node: &NodeRef, around: Option<usize>, out: &mut String) {
        let text = node.text();
        let first = around.filter(|number| {
            node.parent().is_some_and(|parent| self.elements.get(*number) == Some(&parent.id))
                && node.prev_sibling().is_none_or(|before| !before.is_text())
        });
        let words = text.trim_matches(is_space);
        if let Some(number) = first
            && let Some(gap) = words.find(' ')
        {
            let gap = gap + (words.as_ptr() as usize - text.as_ptr() as usize);
            escape(&text[..gap], false, out);
            self.mark(2 * number + 1, out);
            escape(&text[gap + 1..], false, out);
        } else {
            escape(&text, false, out);
        }
    }

    fn mark(&self, number: usize, out: &mut String) {
        let mut rest = number;
        for _ in 0..self.digits {
            out.push(DIGITS[rest % DIGITS.len()]);
            rest /= DIGITS.len();
        }
    }

    /// The elements that the extractor has chosen, in the order of what it has returned: those whose content it has written.
    pub(super) fn chosen<'a>(&self, document: &'a Document, returned: &str) -> Vec<NodeRef<'a>> {
        let mut chosen: Vec<NodeRef> = Vec::new();
        let (mut number, mut place, mut count) = (0, 1, 0);
        for c in returned.chars() {
            let digit = if c < DIGITS[0] { None } else { DIGITS.iter().position(|digit| *digit == c) };
            let Some(digit) = digit else {
                (number, place, count) = (0, 1, 0);
                continue;
            };
            number += digit * place;
            place *= DIGITS.len();
            count += 1;
            if count == self.digits {
                let element = self.elements.get(number / 2).and_then(|id| document.tree.get(id));
                if let Some(element) = element
                    && !chosen.iter().rev().take(8).any(|outer| is_inside(&element, outer))
                {
                    let is_own_text = number % 2 == 1;
                    let around = container(element, !is_own_text);
                    chosen.extend(around.filter(|around| !chosen.iter().any(|one| one.id == around.id)));
                }
                (number, place, count) = (0, 1, 0);
            }
        }
        chosen
    }
}

fn is_marked(node: &NodeRef) -> bool {
    node.node_name().is_some_and(|name| MARKED.binary_search(&&*name).is_ok())
}

fn is_inside(node: &NodeRef, outer: &NodeRef) -> bool {
    node.id == outer.id || node.ancestors_it(None).any(|around| around.id == outer.id)
}

/// The innermost element that may have the content: an element, unless the content is around it, or one around it.
fn container<'a>(element: NodeRef<'a>, is_around: bool) -> Option<NodeRef<'a>> {
    let may = |node: &NodeRef| node.node_name().is_some_and(|name| CONTAINERS.binary_search(&&*name).is_ok());
    if !is_around && may(&element) {
        return Some(element);
    }
    element.ancestors_it(None).find(may)
}

fn has_code(node: &NodeRef) -> bool {
    node.descendants_it().any(|inner| inner.has_name("pre"))
}

fn is_space(c: char) -> bool {
    c.is_whitespace()
}

fn escape(text: &str, in_value: bool, out: &mut String) {
    let mut written = 0;
    for (at, c) in text.char_indices() {
        let escaped = match c {
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            '"' if in_value => "&quot;",
            _ if c >= DIGITS[0] && DIGITS.contains(&c) => " ",
            _ => continue,
        };
        out.push_str(&text[written..at]);
        out.push_str(escaped);
        written = at + c.len_utf8();
    }
    out.push_str(&text[written..]);
}
