//! Writing a tree of HTML as Markdown.
//!
//! Text is not escaped, so that a search finds `snake_case` and `a*b`: only what would begin a heading or a block of code at
//! the beginning of a line is. What is written is bounded by what is read: markers of lists and quotations are not repeated
//! beyond a depth of [`MAX_DEPTH`].

mod boxes;
mod code;
mod inline;
mod list;
mod table;

use dom_query::NodeRef;

use super::measure::Measures;
use super::rules::Cut;

/// How deep lists and quotations are indented.
const MAX_DEPTH: usize = 8;

/// The content of elements as Markdown, without what is cut, and without NUL and U+000C.
pub(super) fn write(roots: &[NodeRef], cut: &Cut, measures: &Measures) -> String {
    let whole = roots.iter().map(|root| measures.get(root).characters).sum();
    let mut writer = Writer::new(cut, measures, whole);
    for root in roots {
        writer.children(root);
        writer.flush();
    }
    writer.out
}

/// Text with lines as Markdown: each is a paragraph.
pub(super) fn plain(text: &str) -> String {
    let (cut, measures) = (Cut::default(), Measures::default());
    let mut writer = Writer::new(&cut, &measures, 0);
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

#[derive(Debug)]
struct Writer<'a> {
    cut: &'a Cut,
    measures: &'a Measures,
    /// The characters of all that is written.
    whole: usize,
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
    /// How many of the prefixes stood before the last block, too.
    shared: usize,
    /// How many boxes it is in, such as notes. Headings in them are bold text.
    boxes: usize,
    /// How many elements with struck text it is in.
    struck: usize,
    /// Where in the line no white space follows.
    glued: usize,
    /// Whether it writes the cell of a table, which is one line.
    cell: bool,
    /// Whether the last block of a cell was an item.
    after_item: bool,
}

impl<'a> Writer<'a> {
    fn new(cut: &'a Cut, measures: &'a Measures, whole: usize) -> Writer<'a> {
        Writer {
            cut,
            measures,
            whole,
            out: String::new(),
            line: String::new(),
            space: false,
            prefix: Vec::new(),
            marker: None,
            tight: false,
            shared: 0,
            boxes: 0,
            struck: 0,
            glued: 0,
            cell: false,
            after_item: false,
        }
    }

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
        if !node.is_element() || self.cut.has(node) {
            return;
        }
        let Some(name) = node.node_name() else { return };
        let is_box = self.is_box(node, &name);
        self.boxes += usize::from(is_box);
        self.element(node, &name);
        self.boxes -= usize::from(is_box);
    }

    fn element(&mut self, node: &NodeRef, name: &str) {
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => self.heading(node, name.as_bytes()[1] - b'0'),
            "ul" | "ol" | "menu" | "dir" => self.list(node, name == "ol"),
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
            "del" | "s" | "strike" => self.struck(node),
            "sup" | "a" => self.reference(node),
            "rp" => (),
            "rt" => {
                self.text("(");
                self.children(node);
                self.text(")");
            }
            "script" | "style" | "noscript" | "template" | "svg" | "head" | "title" | "select"
            | "textarea" | "iframe" => (),
            "td" | "th" => {
                self.space = true;
                self.block(node);
            }
            _ if is_block(name) => self.block(node),
            _ => {
                // One beside another is a word of its own.
                self.space |=
                    name == "label" && node.prev_element_sibling().is_some_and(|label| label.has_name(name));
                self.children(node);
            }
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
                if self.space && self.line.len() != self.glued && !self.line.ends_with('\n') {
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
        (self.space, self.glued) = (false, 0);
        // What links to the heading is no part of it.
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = text.trim_end_matches(['¶', '§', '🔗', '#', ' ']);
        if text.is_empty() {
            return;
        }
        self.tight = false;
        if self.boxes > 0 {
            self.lines(&format!("**{text}**"));
        } else {
            self.lines(&format!("{} {text}", "#".repeat(usize::from(level))));
        }
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
            self.pop();
        }
        self.tight = false;
    }

    fn pop(&mut self) {
        self.prefix.pop();
        self.shared = self.shared.min(self.prefix.len());
    }

    /// Ends the paragraph.
    fn flush(&mut self) {
        self.space = false;
        self.glued = 0;
        let line = std::mem::take(&mut self.line);
        let text = line.trim();
        if !text.is_empty() {
            let strike = |line: &str| if self.struck > 0 { format!("~~{line}~~") } else { escape(line) };
            let escaped: Vec<_> = text.lines().map(|line| strike(line.trim())).collect();
            self.lines(&escaped.join("\n"));
        }
    }

    /// Writes a block of lines.
    fn lines(&mut self, block: &str) {
        if self.cell {
            return self.cell_block(block);
        }
        if !self.out.is_empty() {
            self.out.push('\n');
            if !(self.tight && self.marker.is_some()) {
                let start = self.out.len();
                // What begins with this block begins no line before it.
                self.prefix_of(
                    self.prefix.len().saturating_sub(usize::from(self.marker.is_some())).min(self.shared),
                );
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
            self.prefix_of(self.prefix.len().saturating_sub(usize::from(marker.is_some())));
            self.out.push_str(marker.take().as_deref().unwrap_or_default());
            self.out.push_str(line);
            if line.is_empty() {
                self.out.truncate(start + self.out[start..].trim_end().len());
            }
        }
        // A list below a paragraph of an item follows closely.
        self.tight = !self.prefix.is_empty();
        self.shared = self.prefix.len();
    }

    fn prefix_of(&mut self, count: usize) {
        for prefix in &self.prefix[..count] {
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
