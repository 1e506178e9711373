//! Controls, and what they open.

use std::collections::{HashMap, HashSet};

use dom_query::{Document, NodeId, NodeRef};

use super::is_in;
use crate::html::measure::Measures;

/// What may be a control.
const CONTROLS: &str = "button, summary, [role=button], [role=tab], [aria-controls], [aria-expanded], [data-toggle], [data-bs-toggle], \
    [data-target], [data-bs-target]";
/// Attributes with the ids of what is opened.
const TARGETS: [&str; 4] = ["aria-controls", "data-target", "data-bs-target", "href"];
/// What is opened and is no content.
const OTHER_TOGGLES: [&str; 6] = ["modal", "dropdown", "offcanvas", "tooltip", "popover", "button"];
/// Words of buttons that say nothing about what they open.
const EMPTY_WORDS: [&str; 18] = [
    "+",
    "-",
    "close",
    "collapse",
    "details",
    "expand",
    "hide",
    "less",
    "menu",
    "more",
    "open",
    "read more",
    "see more",
    "show",
    "show less",
    "show more",
    "toggle",
    "view more",
];

/// The most controls that are looked at.
const MAX_CONTROLS: usize = 2000;

/// The controls of a page.
#[derive(Debug)]
pub(super) struct Controls<'a> {
    controls: Vec<NodeRef<'a>>,
    /// The controls that name an id.
    of_target: HashMap<String, Vec<NodeRef<'a>>>,
    /// The controls, by their own id or that of the heading around them.
    of_id: HashMap<String, NodeRef<'a>>,
    elements: HashMap<String, NodeRef<'a>>,
    measures: &'a Measures,
    no_content: HashSet<NodeId>,
}

impl<'a> Controls<'a> {
    pub(super) fn of(
        document: &'a Document,
        measures: &'a Measures,
        no_content: &HashSet<NodeId>,
    ) -> Controls<'a> {
        let all = document.select(CONTROLS);
        let controls: Vec<_> = all
            .nodes()
            .iter()
            .filter(|node| is_control(node) && !is_in(node, no_content))
            .copied()
            .take(MAX_CONTROLS)
            .collect();
        let mut of_target: HashMap<String, Vec<NodeRef>> = HashMap::new();
        let mut of_id = HashMap::new();
        for control in &controls {
            for target in targets(control) {
                of_target.entry(target).or_default().push(*control);
            }
            for named in std::iter::once(*control).chain(control.ancestors_it(Some(2))) {
                if let Some(id) = named.id_attr()
                    && (named.id == control.id || is_heading(&named))
                {
                    of_id.insert(id.to_string(), *control);
                }
            }
        }
        let elements = if controls.is_empty() {
            HashMap::new()
        } else {
            let all = document.select("[id]");
            all.nodes().iter().filter_map(|node| Some((node.id_attr()?.to_string(), *node))).collect()
        };
        Controls { controls, of_target, of_id, elements, measures, no_content: no_content.clone() }
    }

    /// Whether a control that is shown opens a hidden element.
    pub(super) fn open(&self, node: &NodeRef<'a>, hidden: &HashSet<NodeId>) -> bool {
        if self.controls.is_empty() || self.is_menu(node) {
            return false;
        }
        self.names(node, hidden)
            || self.is_panel(node, hidden)
            || encloses(node, hidden)
            || follows(node, hidden, &self.no_content)
            || self
                .wrapped(node)
                .is_some_and(|inner| self.names(&inner, hidden) || self.is_panel(&inner, hidden))
    }

    /// Whether a control names the element, or the element a control.
    fn names(&self, node: &NodeRef, hidden: &HashSet<NodeId>) -> bool {
        let shown = |control: &NodeRef| !is_in(control, hidden) && !contains(node, control);
        let named = node.id_attr().and_then(|id| self.of_target.get(&*id));
        named.is_some_and(|controls| controls.iter().any(shown))
            || node.attr("aria-labelledby").is_some_and(|ids| {
                ids.split_ascii_whitespace().filter_map(|id| self.of_id.get(id)).any(shown)
            })
    }

    /// Whether it is the panel of a tab: one of a list of tabs near by.
    fn is_panel(&self, node: &NodeRef, hidden: &HashSet<NodeId>) -> bool {
        let is_tab = |control: &NodeRef| {
            control.attr("role").is_some_and(|role| &*role == "tab") && !is_in(control, hidden)
        };
        node.attr("role").is_some_and(|role| &*role == "tabpanel")
            && node.ancestors_it(Some(3)).any(|around| {
                !around.has_name("body")
                    && self.controls.iter().any(|control| is_tab(control) && contains(&around, control))
            })
    }

    /// Buttons that open content are text, such as the questions of answers.
    pub(super) fn make_text(&self, hidden: &HashSet<NodeId>) {
        for control in &self.controls {
            if !control.has_name("button") || is_in(control, hidden) {
                continue;
            }
            let words = control.text().trim().to_lowercase();
            let is_content = |id: &String| {
                self.elements.get(id).is_some_and(|target| {
                    !is_in(target, &self.no_content) && !is_in(target, hidden) && !self.is_menu(target)
                })
            };
            let opens = targets(control).iter().any(is_content)
                || (control.attr("aria-expanded").is_some()
                    && control
                        .next_element_sibling()
                        .is_some_and(|next| !is_in(&next, hidden) && !self.is_menu(&next)));
            let is_tab = control.attr("role").is_some_and(|role| &*role == "tab");
            if opens && (is_tab || !EMPTY_WORDS.contains(&words.as_str())) {
                let is_inline =
                    control.ancestors_it(Some(3)).any(|around| is_heading(&around) || around.has_name("p"));
                control.rename(if is_inline { "span" } else { "p" });
            }
        }
    }

    /// The element that has nearly all of the text of another.
    fn wrapped(&self, node: &NodeRef<'a>) -> Option<NodeRef<'a>> {
        let whole = self.measures.get(node).characters;
        let mut inner = *node;
        for _ in 0..4 {
            let has_most = |child: &NodeRef| 10 * self.measures.get(child).characters >= 9 * whole;
            inner = inner.children_it(false).find(|child| child.is_element() && has_most(child))?;
            if inner.has_attr("id") || inner.has_attr("aria-labelledby") || inner.has_attr("role") {
                return Some(inner);
            }
        }
        None
    }

    /// Whether most of its text is links, as in a menu.
    fn is_menu(&self, node: &NodeRef) -> bool {
        let measure = self.measures.get(node);
        5 * measure.linked > 3 * measure.characters
    }
}

/// The ids of what a control opens.
fn targets(control: &NodeRef) -> Vec<String> {
    let mut targets = Vec::new();
    for name in TARGETS {
        let Some(value) = control.attr(name) else { continue };
        let ids = value.split_ascii_whitespace().filter_map(|id| match id.strip_prefix('#') {
            Some(id) => Some(id),
            None => (name == "aria-controls").then_some(id),
        });
        targets.extend(ids.map(str::to_owned));
    }
    targets
}

fn is_control(node: &NodeRef) -> bool {
    let value = |name: &str| node.attr(name).unwrap_or_default().to_ascii_lowercase();
    let popup = value("aria-haspopup");
    let toggles = [value("data-toggle"), value("data-bs-toggle")];
    (popup.is_empty() || popup == "false")
        && !toggles.iter().any(|toggle| OTHER_TOGGLES.contains(&toggle.as_str()))
}

/// Whether it is what the summary of a `details` opens.
fn encloses(node: &NodeRef, hidden: &HashSet<NodeId>) -> bool {
    node.parent().is_some_and(|details| {
        details.has_name("details")
            && details.children_it(false).any(|child| child.has_name("summary") && !is_in(&child, hidden))
    })
}

/// Whether it follows a control that says that something is closed, and names nothing.
fn follows(node: &NodeRef, hidden: &HashSet<NodeId>, no_content: &HashSet<NodeId>) -> bool {
    let Some(before) = node.prev_element_sibling().filter(|before| !is_in(before, hidden)) else {
        return false;
    };
    let is = |node: &NodeRef| {
        node.has_attr("aria-expanded")
            && is_control(node)
            && targets(node).is_empty()
            && !is_in(node, no_content)
    };
    is(&before)
        || (is_heading(&before) && before.descendants_it().any(|inner| inner.is_element() && is(&inner)))
}

fn contains(node: &NodeRef, other: &NodeRef) -> bool {
    node.id == other.id || other.ancestors_it(None).any(|around| around.id == node.id)
}

fn is_heading(node: &NodeRef) -> bool {
    ["h1", "h2", "h3", "h4", "h5", "h6"].iter().any(|name| node.has_name(name))
}
