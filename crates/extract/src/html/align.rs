//! Leaving out of HTML what a text leaves out.

use std::collections::HashSet;

use dom_query::{NodeId, NodeRef};
use memchr::memmem;

use super::markdown::is_block;

/// How far a block is searched, in bytes of letters and digits.
const WINDOW: usize = 50_000;
/// Shorter blocks are not searched: they may be found by chance. In bytes of letters and digits.
const LONG: usize = 16;

/// Removes the blocks that are not in a text.
///
/// The extractor of the main content gives HTML, which has the form of the content, and text, from which it has left out
/// more: lists of links, buttons to share, names of authors. Both have the same order. Nothing is removed if more than a third
/// would be: then they are not of the same part of the page.
pub(super) fn align(root: &NodeRef, text: &str) {
    let text = compact(text);
    let around = around_blocks(root);
    let mut missing = Vec::new();
    let (mut of_missing, mut of_all) = (0, 0);
    // Where the text goes on, and where it went on before the last block.
    let (mut at, mut before) = (0, 0);
    let mut nodes: Vec<_> = root.children_it(true).collect();
    while let Some(node) = nodes.pop() {
        if around.contains(&node.id) {
            nodes.extend(node.children_it(true));
            continue;
        }
        let block = compact(&node.text());
        if block.is_empty() {
            continue;
        }
        of_all += block.len();
        let window = &text.as_bytes()[at..text.len().min(at + WINDOW)];
        if text[at..].starts_with(&block) {
            before = at;
            at += block.len();
        } else if text[before..].starts_with(&block) {
            at = before + block.len();
        } else if let Some(found) =
            (block.len() >= LONG).then(|| memmem::find(window, block.as_bytes())).flatten()
        {
            before = at + found;
            at = before + block.len();
        } else {
            of_missing += block.len();
            missing.push(node);
        }
    }
    if of_missing * 3 <= of_all {
        for node in missing {
            node.remove_from_parent();
        }
    }
}

/// The elements that have blocks in them.
fn around_blocks(root: &NodeRef) -> HashSet<NodeId> {
    let mut around = HashSet::new();
    for node in root.descendants_it() {
        if !node.node_name().is_some_and(|name| is_block(&name) || is_other_block(&name)) {
            continue;
        }
        for outer in node.ancestors_it(None) {
            if !around.insert(outer.id) {
                break;
            }
        }
    }
    around
}

fn is_other_block(name: &str) -> bool {
    matches!(
        name,
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "ul" | "ol" | "li" | "pre" | "blockquote" | "table"
    )
}

/// The letters and digits of a text.
fn compact(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}
