//! Writing a tree of HTML as Markdown.
//!
//! Text is not escaped, so that a search finds `snake_case` and `a*b`: only what would begin a heading or a block of code at
//! the beginning of a line is. What is written is bounded by what is read: markers of lists and quotations are not repeated
//! beyond a depth of [`MAX_DEPTH`].

mod code;
mod table;

use dom_query::NodeRef;

/// How deep lists and quotations are indented.
const MAX_DEPTH: usize = 8;

/// The content of an element as Markdown, without NUL and U+000C.
pub(super) fn write(node: &NodeRef) -> String {
    let mut writer = Writer::default();
    writer.children(node);
    writer.flush();
    writer.out
}

/// Text with lines as Markdown: each is a paragraph.
pub(super) fn plain(text: &str) -> String {
    let mut writer = Writer::default();
    for line in text.lines() {
        writer.text(line);
        writer.flush();
    }
    writer.out
}

/// Whether a character is left out: soft hyphens and spaces of no width would part words for a search. Joiners
/// (U+200C, U+200D) stay, since they change how words are written in some languages.
pub(super) fn is_dropped(c: char) -> bool {
    matches!(c, '\0' | '\u{AD}' | '\u{200B}' | '\u{2060}' | '\u{FEFF}')
}

#[derive(Debug, Default)]
struct Writer {
    out: String,
    /// The paragraph that is being written. White space in it is single spaces, and `\n` for `br`.
    line: String,
    /// Whether white space is due before the next word.
    space: bool,
    /// What begins each line: quotation marks, indents of lists.
    prefix: Vec<&'static str>,
    /// The marker of an item that has no text yet. It replaces the last prefix.
    marker: Option<String>,
    /// Whether the next block follows without an empty line.
    tight: bool,
}

impl Writer {
    fn children(&mut self, node: &NodeRef) {
        for child in node.children_it(false) {
            self.node(&child);
        }
    }

    fn node(&mut self, node: &NodeRef) {
        if node.is_text() {
            self.text(&node.text());
            return;
        }
        if !node.is_element() {
            return;
        }
        let Some(name) = node.node_name() else { return };
        match &*name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.heading(node, name.as_bytes()[1] - b'0'),
            "ul" | "ol" | "menu" | "dir" => self.list(node, &*name == "ol"),
            "li" => self.item(node, "- ".to_owned()),
            "blockquote" => self.inside(node, "> "),
            "pre" | "listing" | "xmp" => self.code_block(node),
            "table" => self.table(node),
            "code" | "kbd" | "samp" | "tt" => self.code(node),
            "br" => {
                trim_end(&mut self.line);
                // An empty line parts paragraphs.
                if self.line.ends_with('\n') {
                    self.flush();
                } else {
                    self.line.push('\n');
                }
                self.space = false;
            }
            "wbr" => (),
            "script" | "style" | "noscript" | "template" | "svg" | "head" | "title" | "select"
            | "textarea" | "iframe" => (),
            "td" | "th" => {
                self.space = true;
                self.block(node);
            }
            _ if is_block(&name) => self.block(node),
            _ => self.children(node),
        }
    }

    fn block(&mut self, node: &NodeRef) {
        self.flush();
        self.children(node);
        self.flush();
    }

    fn text(&mut self, text: &str) {
        for c in text.chars() {
            if c.is_whitespace() {
                self.space = true;
            } else if !is_dropped(c) && !(c.is_control()) {
                if self.space && !self.line.is_empty() && !self.line.ends_with('\n') {
                    self.line.push(' ');
                }
                self.space = false;
                self.line.push(c);
            }
        }
    }

    fn heading(&mut self, node: &NodeRef, level: u8) {
        self.flush();
        self.children(node);
        let text = std::mem::take(&mut self.line);
        self.space = false;
        // What links to the heading is no part of it.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = text.trim_end_matches(['¶', '§', '🔗', '#', ' ']);
        if !text.is_empty() {
            self.tight = false;
            self.lines(&format!("{} {text}", "#".repeat(usize::from(level))));
        }
    }

    fn list(&mut self, node: &NodeRef, numbered: bool) {
        self.flush();
        let mut number = node.attr("start").and_then(|start| start.parse::<u32>().ok()).unwrap_or(1);
        let mut has_items = false;
        for child in node.children_it(false) {
            if child.has_name("li") {
                let marker = if numbered { format!("{number}. ") } else { "- ".to_owned() };
                number = number.saturating_add(1);
                self.item(&child, marker);
                has_items = true;
            } else if has_items
                && self.prefix.len() < MAX_DEPTH
                && (child.has_name("ul") || child.has_name("ol"))
            {
                // Some pages write a list in an item behind it.
                self.prefix.push("  ");
                self.node(&child);
                self.prefix.pop();
            } else {
                self.node(&child);
            }
        }
        self.flush();
        self.tight = self.tight && !self.prefix.is_empty();
    }

    fn item(&mut self, node: &NodeRef, marker: String) {
        self.flush();
        let deep = self.prefix.len() >= MAX_DEPTH;
        if !deep {
            self.prefix.push(if marker.len() > 2 { "   " } else { "  " });
            self.marker = Some(marker);
        }
        self.children(node);
        self.flush();
        if !deep {
            self.prefix.pop();
            self.marker = None;
        }
        // The next item follows closely.
        self.tight = true;
    }

    fn inside(&mut self, node: &NodeRef, prefix: &'static str) {
        self.flush();
        let deep = self.prefix.len() >= MAX_DEPTH;
        self.tight = false;
        if !deep {
            self.prefix.push(prefix);
        }
        self.children(node);
        self.flush();
        if !deep {
            self.prefix.pop();
        }
        self.tight = false;
    }

    /// Ends the paragraph.
    fn flush(&mut self) {
        self.space = false;
        let line = std::mem::take(&mut self.line);
        let text = line.trim();
        if !text.is_empty() {
            let escaped: Vec<_> = text.lines().map(|line| escape(line.trim())).collect();
            self.lines(&escaped.join("\n"));
        }
    }

    /// Writes a block of lines.
    fn lines(&mut self, block: &str) {
        if !self.out.is_empty() {
            self.out.push('\n');
            if !(self.tight && self.marker.is_some()) {
                let start = self.out.len();
                self.prefix_of(self.marker.is_some());
                self.out.truncate(start + self.out[start..].trim_end().len());
                self.out.push('\n');
            }
        }
        self.tight = false;
        let mut marker = self.marker.take();
        for (number, line) in block.split('\n').enumerate() {
            if number > 0 {
                self.out.push('\n');
            }
            let start = self.out.len();
            self.prefix_of(marker.is_some());
            self.out.push_str(marker.take().as_deref().unwrap_or_default());
            self.out.push_str(line);
            if line.is_empty() {
                self.out.truncate(start + self.out[start..].trim_end().len());
            }
        }
        // A list below a paragraph of an item follows closely.
        self.tight = !self.prefix.is_empty();
    }

    fn prefix_of(&mut self, without_last: bool) {
        let end = self.prefix.len() - usize::from(without_last && !self.prefix.is_empty());
        for prefix in &self.prefix[..end] {
            self.out.push_str(prefix);
        }
    }
}

fn trim_end(text: &mut String) {
    text.truncate(text.trim_end_matches(' ').len());
}

/// A line of a paragraph that would be a heading or the border of a code block gets a backslash.
fn escape(line: &str) -> String {
    let hashes = line.bytes().take_while(|b| *b == b'#').count();
    let heading = (1..=6).contains(&hashes) && line[hashes..].chars().next().is_none_or(char::is_whitespace);
    let fence = line.starts_with("```") || line.starts_with("~~~");
    let underline = !line.is_empty() && line.bytes().all(|b| b == b'=' || b == b'-');
    if heading || fence || underline { format!("\\{line}") } else { line.to_owned() }
}

/// Whether an element ends the paragraph before it.
pub(super) fn is_block(name: &str) -> bool {
    matches!(
        name,
        "address"
            | "article"
            | "aside"
            | "body"
            | "caption"
            | "center"
            | "dd"
            | "details"
            | "dialog"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "header"
            | "hgroup"
            | "hr"
            | "html"
            | "legend"
            | "main"
            | "nav"
            | "option"
            | "p"
            | "search"
            | "section"
            | "summary"
            | "tbody"
            | "td"
            | "tfoot"
            | "th"
            | "thead"
            | "tr"
    )
}

#[cfg(test)]
mod tests;
