//! How much text there is in each element, and how much of it is links.

use std::collections::HashMap;

use dom_query::{NodeId, NodeRef};

/// Links of fewer characters are short, as in menus.
const SHORT_LINK: usize = 10;

/// What an element has in it. Characters are counted without white space.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Measure {
    pub(super) characters: usize,
    /// The characters in links.
    pub(super) linked: usize,
    /// The links with text.
    pub(super) links: usize,
    pub(super) short_links: usize,
    pub(super) paragraphs: usize,
    /// Whether it is, or holds, the element that says that it has the content.
    pub(super) has_main: bool,
}

/// The measures of an element and of all in it.
#[derive(Debug, Default)]
pub(super) struct Measures(HashMap<NodeId, Measure>);

impl Measures {
    /// Looks at each node once.
    pub(super) fn of(root: &NodeRef) -> Measures {
        let mut measures = Measures::default();
        measures.add(root);
        measures
    }

    /// Nothing for what is not an element below the root.
    pub(super) fn get(&self, node: &NodeRef) -> Measure {
        self.0.get(&node.id).copied().unwrap_or_default()
    }

    fn add(&mut self, node: &NodeRef) -> Measure {
        if node.is_text() {
            let characters = node.text().chars().filter(|c| !c.is_whitespace()).count();
            return Measure { characters, ..Measure::default() };
        }
        if !node.may_have_children() || node.has_name("script") || node.has_name("style") {
            return Measure::default();
        }
        let mut sum = Measure::default();
        for child in node.children_it(false) {
            let child = self.add(&child);
            sum.characters += child.characters;
            sum.linked += child.linked;
            sum.links += child.links;
            sum.short_links += child.short_links;
            sum.paragraphs += child.paragraphs;
            sum.has_main |= child.has_main;
        }
        if node.has_name("a") && sum.characters > 0 {
            sum.linked = sum.characters;
            sum.links = 1;
            sum.short_links = usize::from(sum.characters < SHORT_LINK);
        }
        sum.paragraphs += usize::from(node.has_name("p"));
        sum.has_main |= is_main(node);
        if node.is_element() {
            self.0.insert(node.id, sum);
        }
        sum
    }
}

/// Whether an element says that it has the content of the page.
pub(super) fn is_main(node: &NodeRef) -> bool {
    node.has_name("main")
        || node.has_name("article")
        || node.attr("role").is_some_and(|role| &*role == "main")
}
