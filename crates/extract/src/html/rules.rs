//! The parts of a page that are left out of its content: one table of rules, each with its reason.
//!
//! Whatever no rule names is text of the page. A rule looks at an element, never at the text that the extractor of the main
//! content returns.

mod kinds;
mod names;
mod words;

use std::collections::HashMap;

use dom_query::{NodeId, NodeRef};

use self::kinds::Kind;
pub(super) use self::names::Element;
use super::measure::{Measure, Measures, is_main};

/// Where a rule holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    /// On each page.
    Page,
    /// In the content that the extractor has chosen.
    Content,
    /// In chosen content that is not documentation, which consists of lists of links, too.
    Article,
}

/// A reason to leave out an element.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) name: &'static str,
    part: Part,
    /// Whether it never removes what has the main content, or most of the text: a name or a place says little about that.
    guarded: bool,
    removes: fn(&Page, &Element) -> bool,
}

/// Properties of a page for the rules.
#[derive(Debug)]
pub(super) struct Page<'a> {
    pub(super) measures: &'a Measures,
    pub(super) title: Option<&'a str>,
    pub(super) part: Part,
    /// Whether what readers write is the content.
    pub(super) is_forum: bool,
}

/// The rules. The first one that removes an element counts.
const RULES: [Rule; 24] = [
    // It leads to other pages. Its links are followed, but are no text of this one.
    Rule { name: "navigation", part: Part::Page, guarded: false, removes: is_navigation },
    // It asks something of the reader, and covers the page until it has an answer.
    Rule { name: "dialog", part: Part::Page, guarded: false, removes: is_dialog },
    // What is sent or pressed is no text. A button that shows a part of the page was made text before.
    Rule {
        name: "form",
        part: Part::Page,
        guarded: false,
        removes: |_, element| is_named(&element.node, &["button", "form"]),
    },
    // It is the same on all pages of the site. That of an article belongs to it.
    Rule { name: "footer", part: Part::Page, guarded: false, removes: is_footer },
    Rule { name: "header", part: Part::Page, guarded: true, removes: is_header },
    // It is beside the text. One between the paragraphs of a text is a box.
    Rule { name: "aside", part: Part::Page, guarded: true, removes: is_beside },
    // The law asks for it, on each page.
    Rule {
        name: "cookie notice",
        part: Part::Page,
        guarded: true,
        removes: |_, element| element.is(Kind::Cookies),
    },
    // It leads back. Its name is as good as that of an element.
    Rule {
        name: "breadcrumbs",
        part: Part::Page,
        guarded: true,
        removes: |_, element| element.is(Kind::Breadcrumbs),
    },
    // As navigation, by its name.
    Rule { name: "menu", part: Part::Content, guarded: true, removes: |_, element| names::is_menu(element) },
    // It leads to other texts.
    Rule {
        name: "related",
        part: Part::Content,
        guarded: true,
        removes: |_, element| element.is(Kind::Related),
    },
    // It sends the address of the page to others.
    Rule { name: "share", part: Part::Content, guarded: true, removes: |_, element| element.is(Kind::Share) },
    // Others wrote it. In a forum it is the content.
    Rule {
        name: "comments",
        part: Part::Content,
        guarded: true,
        removes: |page, element| !page.is_forum && names::is_comments(element),
    },
    // It asks the reader to become a customer.
    Rule {
        name: "subscription",
        part: Part::Content,
        guarded: true,
        removes: |_, element| element.is(Kind::Account),
    },
    // It is paid for by others.
    Rule {
        name: "advertisement",
        part: Part::Content,
        guarded: true,
        removes: |_, element| names::is_advertisement(element),
    },
    // It is beside the text, by its name.
    Rule {
        name: "sidebar",
        part: Part::Content,
        guarded: true,
        removes: |_, element| names::is_sidebar(element),
    },
    // It is the same on all pages, by its name.
    Rule {
        name: "imprint",
        part: Part::Content,
        guarded: true,
        removes: |_, element| element.is(Kind::Imprint),
    },
    // It tells who wrote the text, when, and under which tags: no part of the text.
    Rule {
        name: "author",
        part: Part::Content,
        guarded: true,
        removes: |_, element| names::is_author(element),
    },
    // It tells who took a picture, which is left out.
    Rule {
        name: "credit",
        part: Part::Content,
        guarded: true,
        removes: |_, element| element.is(Kind::Credit),
    },
    // It is the title of the document, which is kept as such.
    Rule { name: "headline", part: Part::Article, guarded: true, removes: words::is_headline },
    // It leads to other texts: nothing in it is not a link.
    Rule { name: "list of links", part: Part::Article, guarded: true, removes: is_list_of_links },
    // As "share", by its words.
    Rule { name: "share buttons", part: Part::Article, guarded: true, removes: words::is_share },
    // As "author", by its words.
    Rule { name: "byline", part: Part::Article, guarded: true, removes: words::is_byline },
    // As "author", by its words.
    Rule { name: "date of publication", part: Part::Article, guarded: true, removes: words::is_dateline },
    // As "credit", by its words.
    Rule { name: "picture credit", part: Part::Article, guarded: true, removes: words::is_credit },
];

/// An element that says that it has the content, and has this much of it, is the content. In characters.
const MAIN: usize = 200;

/// What is left out of elements.
#[derive(Debug, Default)]
pub(super) struct Cut {
    removed: HashMap<NodeId, &'static Rule>,
    /// The characters that are left.
    pub(super) left: usize,
}

impl Cut {
    pub(super) fn has(&self, node: &NodeRef) -> bool {
        self.removed.contains_key(&node.id)
    }

    /// The names of the rules that removed something, each once.
    pub(super) fn rules(&self) -> Vec<&'static str> {
        let removed: std::collections::HashSet<_> = self.removed.values().map(|rule| rule.name).collect();
        RULES.iter().map(|rule| rule.name).filter(|name| removed.contains(name)).collect()
    }
}

/// What the rules remove from elements, which stay themselves.
pub(super) fn cut(roots: &[NodeRef], page: &Page) -> Cut {
    let mut cut =
        Cut { left: roots.iter().map(|root| page.measures.get(root).characters).sum(), ..Cut::default() };
    let mains: Vec<_> = roots.iter().flat_map(|root| root.descendants_it()).filter(is_main).collect();
    let is_beside_main = |node: &NodeRef| {
        let mut others = mains.iter().filter(|main| page.measures.get(main).characters >= MAIN);
        others.any(|main| !node.ancestors_it(None).any(|around| around.id == main.id))
    };
    // What is guarded is compared with what the other rules leave.
    for guarded in [false, true] {
        let whole = cut.left;
        let mut nodes: Vec<_> = roots.iter().rev().flat_map(|root| root.children_it(true)).collect();
        while let Some(node) = nodes.pop() {
            if !node.is_element() || cut.has(&node) {
                continue;
            }
            let measure = page.measures.get(&node);
            let is_guarded =
                guarded && (measure.has_main || (2 * measure.characters > whole && !is_beside_main(&node)));
            let element = Element::new(node);
            let applies = |rule: &&Rule| rule.guarded == guarded && rule.part <= page.part;
            match RULES.iter().filter(applies).find(|rule| !is_guarded && (rule.removes)(page, &element)) {
                Some(rule) => {
                    cut.left = cut.left.saturating_sub(measure.characters);
                    cut.removed.insert(node.id, rule);
                }
                None => nodes.extend(node.children_it(true)),
            }
        }
    }
    cut
}

fn is_named(node: &NodeRef, names: &[&str]) -> bool {
    node.node_name().is_some_and(|name| names.contains(&&*name))
}

fn has_role(node: &NodeRef, roles: &[&str]) -> bool {
    node.attr("role").is_some_and(|found| roles.iter().any(|role| found.trim().eq_ignore_ascii_case(role)))
}

fn is_navigation(_: &Page, element: &Element) -> bool {
    let node = &element.node;
    is_named(node, &["nav", "menu"])
        || has_role(node, &["navigation", "search", "menu", "menubar"])
        || node.attr("itemtype").is_some_and(|kind| kind.to_ascii_lowercase().contains("breadcrumblist"))
}

fn is_dialog(_: &Page, element: &Element) -> bool {
    let node = &element.node;
    has_role(node, &["dialog", "alertdialog"])
        || node.attr("aria-modal").is_some_and(|value| &*value == "true")
}

fn is_footer(_: &Page, element: &Element) -> bool {
    has_role(&element.node, &["contentinfo"])
        || (element.node.has_name("footer") && !is_in_article(&element.node))
}

fn is_header(_: &Page, element: &Element) -> bool {
    has_role(&element.node, &["banner"]) || (element.node.has_name("header") && !is_in_article(&element.node))
}

fn is_in_article(node: &NodeRef) -> bool {
    node.ancestors_it(None).any(|around| around.has_name("article") || around.has_name("main"))
}

/// An `aside` is beside the text, unless there is text of the same kind before and after it, or it is a note by its class.
fn is_beside(page: &Page, element: &Element) -> bool {
    let node = &element.node;
    if has_role(node, &["complementary"]) {
        return true;
    }
    if !node.has_name("aside") {
        return false;
    }
    let measure = page.measures.get(node);
    let is_text = |beside: Option<NodeRef>| {
        beside.is_some_and(|beside| {
            is_named(
                &beside,
                &[
                    "p",
                    "ul",
                    "ol",
                    "dl",
                    "table",
                    "pre",
                    "blockquote",
                    "h1",
                    "h2",
                    "h3",
                    "h4",
                    "h5",
                    "h6",
                    "aside",
                ],
            )
        })
    };
    let between = is_text(node.prev_element_sibling()) && is_text(node.next_element_sibling());
    let is_box = element.is_note() || between;
    !is_box || 5 * measure.linked > measure.characters
}

/// Text before the next block, in characters: shorter elements of links before other elements are lists of links.
const BEFORE_OTHERS: usize = 85;
/// The same of the last element.
const LAST: usize = 250;
/// A cell with more text than this arranges parts of a page.
const CELL: usize = 1200;

fn is_list_of_links(page: &Page, element: &Element) -> bool {
    let node = &element.node;
    let Measure { characters, linked, links, short_links, paragraphs, .. } = page.measures.get(node);
    if links == 0 || !is_named(node, &["div", "ul", "ol", "table", "section"]) {
        return false;
    }
    let around = node.ancestors_it(None).find(|around| is_named(around, &["td", "th"]));
    if around.is_some_and(|cell| page.measures.get(&cell).characters < CELL) {
        return false;
    }
    if node.has_name("table") {
        return characters > 170
            && if characters < 850 { 5 * linked > 4 * characters } else { 2 * linked > characters };
    }
    let limit = if node.next_element_sibling().is_some() { BEFORE_OTHERS } else { LAST };
    (characters < limit && 5 * linked > 4 * characters)
        || (links == 1 && linked > BEFORE_OTHERS && 10 * linked > 9 * characters)
        || (links >= 5 && paragraphs == 0 && 2 * linked > characters && 2 * short_links > links)
}

#[cfg(test)]
mod tests;
