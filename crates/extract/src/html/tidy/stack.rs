//! The elements that the parser has open.

use std::collections::HashMap;

/// How far an element is searched among the open ones.
const REACH: usize = 512;

/// The parser's "special" elements: the end tags of other elements do not close them. They close a `p`, but for parts of
/// tables.
const SPECIAL: [&str; 58] = [
    "address",
    "applet",
    "article",
    "aside",
    "blockquote",
    "button",
    "caption",
    "center",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
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
    "hgroup",
    "hr",
    "li",
    "listing",
    "main",
    "marquee",
    "menu",
    "nav",
    "object",
    "ol",
    "p",
    "pre",
    "search",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "template",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "ul",
    "xmp",
    "foreignobject",
    "desc",
    "annotation-xml",
    "mi",
];
/// Special elements that do not close a `p`.
const IN_P: [&str; 10] = [
    "annotation-xml",
    "applet",
    "button",
    "desc",
    "foreignobject",
    "marquee",
    "mi",
    "object",
    "template",
    "title",
];
/// Elements that the end tags of elements around them cannot close: the parser's "scope".
const WALLS: [&str; 17] = [
    "applet",
    "caption",
    "marquee",
    "object",
    "table",
    "td",
    "template",
    "th",
    "foreignobject",
    "desc",
    "title",
    "annotation-xml",
    "mi",
    "mn",
    "mo",
    "ms",
    "mtext",
];
/// Elements that end pictures and formulas around them.
const BREAKS_OUT: [&str; 33] = [
    "blockquote",
    "body",
    "br",
    "center",
    "code",
    "dd",
    "div",
    "dl",
    "dt",
    "embed",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "hr",
    "img",
    "li",
    "listing",
    "menu",
    "meta",
    "ol",
    "p",
    "pre",
    "ruby",
    "span",
    "sub",
    "sup",
    "table",
    "ul",
    "var",
];
/// Parts of tables.
const PARTS: [&str; 8] = ["caption", "colgroup", "tbody", "td", "tfoot", "th", "thead", "tr"];

/// An open element.
#[derive(Debug)]
struct Open {
    name: String,
    /// Whether its start tag was written.
    kept: bool,
}

/// The open elements, the innermost last: those that the parser has open, or more. It follows the standard's rules for the
/// body of a page (section 13.2.6.4.7) as far as they concern what is closed.
#[derive(Debug, Default)]
pub(super) struct Stack {
    open: Vec<Open>,
    /// Their number by name.
    counts: HashMap<String, usize>,
    /// How many of them were written.
    depth: usize,
}

impl Stack {
    /// How many elements are open whose start tags were written.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// How many elements of a name are open.
    pub(super) fn count(&self, name: &str) -> usize {
        self.counts.get(name).copied().unwrap_or_default()
    }

    /// Adds an element.
    pub(super) fn push(&mut self, name: &str, kept: bool) {
        *self.counts.entry(name.to_owned()).or_default() += 1;
        self.depth += usize::from(kept);
        self.open.push(Open { name: name.to_owned(), kept });
    }

    /// Whether the innermost open element is part of a picture or a formula, where tags mean something else.
    pub(super) fn in_foreign(&self) -> bool {
        self.count("svg") + self.count("math") > 0
            && self.find(is_foreign, |open| WALLS.contains(&open)).is_some()
    }

    /// Closes the pictures and formulas that a tag ends.
    pub(super) fn break_out(&mut self, name: &str) {
        while BREAKS_OUT.contains(&name)
            && self.count("svg") + self.count("math") > 0
            && let Some(at) = self.find(is_foreign, |open| WALLS.contains(&open))
        {
            self.truncate(at);
        }
    }

    /// Closes what a start tag closes. False if the parser ignores the tag.
    pub(super) fn make_room(&mut self, name: &str) -> bool {
        match name {
            "li" => self.close_items(&["li"]),
            "dd" | "dt" => self.close_items(&["dd", "dt"]),
            "td" | "th" => return self.back_to(&["tr", "tbody", "thead", "tfoot", "table", "template"]),
            "tr" => return self.back_to(&["tbody", "thead", "tfoot", "table", "template"]),
            _ if PARTS.contains(&name) => return self.back_to(&["table", "template"]),
            _ => (),
        }
        if SPECIAL.contains(&name)
            && !IN_P.contains(&name)
            && let Some(at) = self.find(|open| open == "p", |open| open == "button" || WALLS.contains(&open))
        {
            self.truncate(at);
        }
        true
    }

    /// Closes the item that is open in the innermost list.
    fn close_items(&mut self, names: &[&str]) {
        let stops = |open: &str| SPECIAL.contains(&open) && !matches!(open, "address" | "div" | "p");
        if let Some(at) = self.find(|open| names.contains(&open), stops) {
            self.truncate(at);
        }
    }

    /// Closes what is open in one of the elements. False if there is none.
    fn back_to(&mut self, names: &[&str]) -> bool {
        let found =
            self.find(|open| names.contains(&open), |open| matches!(open, "object" | "applet" | "marquee"));
        if let Some(at) = found {
            self.truncate(at + 1);
        }
        found.is_some()
    }

    /// Handles an end tag. Returns whether to write it.
    pub(super) fn close(&mut self, name: &str) -> bool {
        if self.count(name) == 0 {
            return false;
        }
        let is_name = |open: &str| open == name;
        if matches!(name, "a" | "code") {
            return self.close_formatting(name);
        }
        let at = match name {
            "template" => self.find(is_name, |_| false),
            "table" => self.find(is_name, |open| open == "template"),
            "li" => self.find(is_name, |open| matches!(open, "ul" | "ol") || WALLS.contains(&open)),
            "p" => self.find(is_name, |open| open == "button" || WALLS.contains(&open)),
            // The parser takes a form out from among others; it is closed here with what is inside, or not at all.
            "form" if self.open.last().is_some_and(|open| open.name != "form") => None,
            _ if PARTS.contains(&name) => self.find(is_name, |open| matches!(open, "table" | "template")),
            _ if SPECIAL.contains(&name) => self.find(is_name, |open| WALLS.contains(&open)),
            _ => self.find(is_name, |open| SPECIAL.contains(&open)),
        };
        let kept = at.and_then(|at| self.open.get(at)).is_some_and(|open| open.kept);
        if let Some(at) = at {
            self.truncate(at);
        }
        kept
    }

    /// The parser takes `a` and `code` out from among what is open. If blocks are inside, it opens the element in them again;
    /// then its place stays taken.
    fn close_formatting(&mut self, name: &str) -> bool {
        let Some(at) = self.find(|open| open == name, |open| WALLS.contains(&open)) else {
            return false;
        };
        let kept = self.open[at].kept;
        if self.open[at..].iter().any(|open| SPECIAL.contains(&open.name.as_str())) {
            "span".clone_into(&mut self.open[at].name);
            self.uncount(name);
            *self.counts.entry("span".to_owned()).or_default() += 1;
        } else {
            self.truncate(at);
        }
        kept
    }

    /// The place of the innermost element of a kind that is not behind one that stops the search.
    fn find(&self, is: impl Fn(&str) -> bool, stops: impl Fn(&str) -> bool) -> Option<usize> {
        for (at, open) in self.open.iter().enumerate().rev().take(REACH) {
            if is(&open.name) {
                return Some(at);
            }
            if stops(&open.name) {
                return None;
            }
        }
        None
    }

    fn truncate(&mut self, length: usize) {
        while self.open.len() > length
            && let Some(open) = self.open.pop()
        {
            self.depth -= usize::from(open.kept);
            self.uncount(&open.name);
        }
    }

    fn uncount(&mut self, name: &str) {
        if let Some(count) = self.counts.get_mut(name) {
            *count -= 1;
        }
    }
}

fn is_foreign(name: &str) -> bool {
    matches!(name, "svg" | "math")
}
