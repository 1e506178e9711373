//! Code.

use dom_query::NodeRef;

use super::{Writer, is_dropped};

impl Writer<'_> {
    /// A block of code, between fences that are longer than any in it.
    pub(super) fn code_block(&mut self, node: &NodeRef) {
        self.flush();
        let mut code = String::new();
        raw(node, &mut code);
        let code = code.trim_matches('\n').trim_end();
        if code.trim().is_empty() {
            return;
        }
        let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or_default();
        let fence = "`".repeat(longest.max(2) + 1);
        let language = language(node).unwrap_or_default();
        self.lines(&format!("{fence}{language}\n{code}\n{fence}"));
    }

    /// Code in a paragraph.
    pub(super) fn code(&mut self, node: &NodeRef) {
        let text = node.text();
        let mut words = text.split_whitespace().peekable();
        if text.starts_with(char::is_whitespace) {
            self.space = true;
        }
        if words.peek().is_none() || text.contains('`') {
            self.text(&text);
            return;
        }
        self.text("`");
        let words: Vec<_> = words.collect();
        self.text(&words.join(" "));
        self.space = false;
        self.line.push('`');
        self.space = text.ends_with(char::is_whitespace);
    }
}

/// The text of an element with its white space.
fn raw(node: &NodeRef, code: &mut String) {
    for child in node.children_it(false) {
        if child.is_text() {
            let kept = |c: &char| !is_dropped(*c) && (!c.is_control() || matches!(c, '\n' | '\t'));
            code.extend(child.text().chars().filter(kept).map(|c| if c == '\u{A0}' { ' ' } else { c }));
        } else if child.has_name("br") {
            code.push('\n');
        } else if child.is_element() && !child.has_name("script") && !child.has_name("style") {
            // Each line of the code may be an element of its own.
            let block = child.node_name().is_some_and(|name| super::is_block(&name) || &*name == "li");
            if block && !code.is_empty() && !code.ends_with('\n') {
                code.push('\n');
            }
            raw(&child, code);
            if block && !code.ends_with('\n') {
                code.push('\n');
            }
        }
    }
}

/// The language of a block, from the usual class `language-...` or `lang-...` of it or of its `code`.
fn language(node: &NodeRef) -> Option<String> {
    let of = |node: &NodeRef| {
        let class = node.class()?;
        let found = class
            .split_whitespace()
            .find_map(|class| class.strip_prefix("language-").or_else(|| class.strip_prefix("lang-")))?;
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '+' | '#' | '.');
        (found.len() <= 20 && found.chars().all(plain)).then(|| found.to_owned())
    };
    of(node).or_else(|| node.element_children().iter().filter(|child| child.has_name("code")).find_map(of))
}
