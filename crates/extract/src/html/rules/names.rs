//! What the names of an element (its classes and its id) say of it.

use std::cell::OnceCell;

use dom_query::NodeRef;

use super::kinds::{Kind, kinds};

/// The names of an element, each in lower case with its words joined: `PostMeta`, `post_meta` and `post-meta` all are
/// `-post-meta-`.
#[derive(Debug)]
pub(in crate::html) struct Element<'a> {
    pub(in crate::html) node: NodeRef<'a>,
    names: OnceCell<Vec<String>>,
}

/// Kinds of boxes that documentation has between its paragraphs.
const NOTE: [&str; 31] = [
    "admonition",
    "admonitionblock",
    "alert",
    "attention",
    "callout",
    "callouts",
    "caution",
    "danger",
    "error",
    "exampleblock",
    "hint",
    "important",
    "infobox",
    "information",
    "info",
    "note",
    "notebox",
    "notecard",
    "notes",
    "notice",
    "pullquote",
    "remark",
    "seealso",
    "sidebarblock",
    "sidenote",
    "success",
    "tip",
    "tips",
    "todo",
    "warn",
    "warning",
];
/// What is told of an author, as the word behind `author`, or before it.
const OF_AUTHOR: [&str; 18] = [
    "area",
    "avatar",
    "bio",
    "block",
    "box",
    "boxes",
    "card",
    "container",
    "description",
    "details",
    "info",
    "link",
    "meta",
    "name",
    "pp",
    "profile",
    "section",
    "wrap",
];
/// The places of a sidebar, as the word before it.
const SIDES: [&str; 10] =
    ["doc", "docs", "left", "main", "page", "primary", "right", "secondary", "site", "widget"];

impl<'a> Element<'a> {
    pub(in crate::html) fn new(node: NodeRef<'a>) -> Element<'a> {
        Element { node, names: OnceCell::new() }
    }

    fn names(&self) -> &[String] {
        self.names.get_or_init(|| {
            let mut names = Vec::new();
            if let Some(class) = self.node.class() {
                names.extend(class.split_ascii_whitespace().map(joined));
            }
            names.extend(self.node.id_attr().map(|id| joined(&id)));
            names
        })
    }

    /// Whether a name is of a kind.
    pub(super) fn is(&self, kind: Kind) -> bool {
        self.names().iter().any(|name| kinds(name) & (1 << kind as u32) != 0)
    }

    /// Whether it is a box such as a note or a warning: the first or the last word of one of its classes says so.
    pub(in crate::html) fn is_note(&self) -> bool {
        let Some(class) = self.node.class() else { return false };
        class.split_ascii_whitespace().map(joined).any(|name| {
            let mut words = words(&name);
            let is = |word: Option<&str>| word.is_some_and(|word| NOTE.contains(&word));
            let first = words.next();
            is(first) || is(words.next_back()) || has(&name, "admonition") || has(&name, "callout")
        })
    }
}

pub(super) fn is_comments(element: &Element) -> bool {
    element.is(Kind::Comments) && !element.names().iter().any(|name| name.contains("-commentar"))
}

pub(super) fn is_menu(element: &Element) -> bool {
    element.is(Kind::Menu)
        || element.names().iter().any(|name| {
            name.starts_with("-nav-") && !name.starts_with("-nav-content-")
                || name.ends_with("-nav-") && !has(name, "in")
        })
}

pub(super) fn is_advertisement(element: &Element) -> bool {
    let first = |name: &String| matches!(words(name).next(), Some("ad" | "ads" | "sponsor" | "promo"));
    element.is(Kind::Advertisement) || element.names().iter().any(first)
}

/// A widget of Elementor has any content.
pub(super) fn is_sidebar(element: &Element) -> bool {
    element.names().iter().any(|name| {
        let mut before = None;
        words(name).any(|word| {
            let found = match word {
                "sidebar" => before.is_none_or(|before| SIDES.contains(&before)),
                "widget" => before != Some("elementor"),
                _ => false,
            };
            before = Some(word);
            found
        })
    })
}

/// `author-ann` only says who wrote what is in it.
pub(super) fn is_author(element: &Element) -> bool {
    element.is(Kind::Author)
        || element.names().iter().any(|name| {
            let words: Vec<_> = words(name).collect();
            let is_of = |at: Option<usize>| {
                at.and_then(|at| words.get(at)).is_some_and(|word| OF_AUTHOR.contains(word))
            };
            (0..words.len()).any(|at| {
                words[at] == "author" && (words.len() == 1 || is_of(Some(at + 1)) || is_of(at.checked_sub(1)))
            })
        })
}

/// Whether a word is in a name.
fn has(name: &str, word: &str) -> bool {
    words(name).any(|found| found == word)
}

fn words(name: &str) -> impl DoubleEndedIterator<Item = &str> {
    name.split('-').filter(|word| !word.is_empty())
}

/// A name in lower case, with `-` before, between and after its words.
fn joined(name: &str) -> String {
    let mut joined = String::with_capacity(name.len() + 4);
    joined.push('-');
    let mut before = ' ';
    for c in name.chars() {
        let ends = !c.is_alphanumeric() || (c.is_uppercase() && before.is_lowercase());
        if ends && !joined.ends_with('-') {
            joined.push('-');
        }
        if c.is_alphanumeric() {
            joined.extend(c.to_lowercase());
        }
        before = c;
    }
    if !joined.ends_with('-') {
        joined.push('-');
    }
    joined
}
