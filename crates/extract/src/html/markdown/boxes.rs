//! Boxes: notes, warnings and other parts of a page that interrupt it. What follows a box does not belong to its heading, so
//! the headings in a box are bold text.

use dom_query::NodeRef;

use super::Writer;
use crate::html::rules::Element;

impl Writer<'_> {
    /// Whether an element is a box. One with most of the text only looks so: it arranges the page.
    pub(super) fn is_box(&self, node: &NodeRef, name: &str) -> bool {
        match name {
            "blockquote" | "figure" => true,
            "aside" | "td" | "th" => self.is_part(node),
            "div" | "section" | "article" | "details" | "table" | "dl" | "p" | "li" => {
                Element::new(*node).is_note() && self.is_part(node)
            }
            _ => false,
        }
    }

    fn is_part(&self, node: &NodeRef) -> bool {
        2 * self.measures.get(node).characters <= self.whole
    }
}
