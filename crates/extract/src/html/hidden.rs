//! Hidden elements of a page, and those that a control opens.
//!
//! Text that a control of the page opens (a button, a tab, a summary) is content: answers to questions, tabs, accordions. The
//! control must name it or enclose it, and be shown itself. Other hidden text is left out: nobody reads it, and it is where
//! instructions to language models are hidden.

mod control;
mod style;

use std::collections::HashSet;

use dom_query::{Document, NodeId, NodeRef};

use self::control::Controls;
use self::style::Hidden;
use super::measure::Measures;

/// How often opened text may open other text.
const ROUNDS: usize = 8;
/// Elements that a control opens and that are no content, beside those with a role or a name.
const NO_CONTENT: &str = "nav, menu, dialog, template, form, [role=navigation], [role=menu], [role=menubar], [role=listbox], \
    [role=dialog], [role=alertdialog], [role=tooltip], [role=search], [role=banner], [aria-modal=true], .modal, .offcanvas, \
    .dropdown-menu, .popover, .tooltip, .drawer, [class*=cookie], [id*=cookie], [class*=consent], [id*=consent]";

/// Removes what is hidden and not opened. Makes text of the buttons that open something.
///
/// Nothing is removed if nearly nothing would be left: scripts of some pages show at once what is hidden at first.
pub(super) fn remove(document: &Document, measures: &Measures) {
    let Some(body) = document.body() else { return };
    let marked = document.select("[hidden], [style], [aria-hidden]");
    let hidden: Vec<_> =
        marked.nodes().iter().filter_map(|node| style::hidden(node).map(|how| (*node, how))).collect();
    let mut ids: HashSet<_> = hidden.iter().map(|(node, _)| node.id).collect();
    let no_content: HashSet<_> = document.select(NO_CONTENT).nodes().iter().map(|node| node.id).collect();
    let controls = Controls::of(document, measures, &no_content);
    for _ in 0..ROUNDS {
        let opened: Vec<_> = hidden
            .iter()
            .filter(|(node, how)| {
                ids.contains(&node.id)
                    && *how == Hidden::Closed
                    && !is_in(node, &no_content)
                    && controls.open(node, &ids)
            })
            .map(|(node, _)| *node)
            .collect();
        if opened.is_empty() {
            break;
        }
        for node in opened {
            ids.remove(&node.id);
        }
    }
    controls.make_text(&ids);
    let hidden: Vec<_> =
        hidden.into_iter().map(|(node, _)| node).filter(|node| ids.contains(&node.id)).collect();
    if hidden.is_empty() || is_shown_by_scripts(&body, &hidden, &ids, measures) {
        return;
    }
    for node in hidden {
        node.remove_from_parent();
    }
}

/// Whether an element is one of others, or in one.
fn is_in(node: &NodeRef, others: &HashSet<NodeId>) -> bool {
    others.contains(&node.id) || node.ancestors_it(None).any(|around| others.contains(&around.id))
}

/// Whether hidden elements have the page in them, which scripts show: nearly all text, and its headings or its body.
fn is_shown_by_scripts(
    body: &NodeRef,
    hidden: &[NodeRef],
    ids: &HashSet<NodeId>,
    measures: &Measures,
) -> bool {
    if ids.contains(&body.id) {
        return true;
    }
    let outermost = |node: &&NodeRef| !node.ancestors_it(None).any(|around| ids.contains(&around.id));
    let outermost: Vec<_> = hidden.iter().filter(outermost).collect();
    let of_hidden: usize = outermost.iter().map(|node| measures.get(node).characters).sum();
    let left = measures.get(body).characters.saturating_sub(of_hidden);
    let is_page = |node: &&NodeRef| {
        ["main", "article", "h1", "h2"]
            .iter()
            .any(|name| node.has_name(name) || node.descendants_it().any(|inner| inner.has_name(name)))
    };
    left < 100 && left * 20 < of_hidden && outermost.into_iter().any(|node| is_page(&node))
}

#[cfg(test)]
mod tests;
