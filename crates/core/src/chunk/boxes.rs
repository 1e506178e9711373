//! Boxes of a Markdown page, such as notes and warnings: `:::note` up to `:::`, and elements of HTML and components of MDX such
//! as `<aside>` and `<Note>`. What follows a box does not belong to a heading in it. Quotations (`> **Note**`) and indented boxes
//! (`!!! note`) need nothing of this: the parser finds no headings of the page in them.

use std::collections::HashMap;

/// How deep boxes are followed.
const MAX_OPEN: usize = 64;
/// The longest name of an element, in bytes.
const MAX_NAME: usize = 40;
/// Elements that are boxes.
const ELEMENTS: [&str; 3] = ["aside", "blockquote", "figure"];
/// Elements that are boxes by their class.
const CLASSED: [&str; 2] = ["div", "section"];
/// What boxes are called.
const NOTES: [&str; 25] = [
    "admonition",
    "alert",
    "aside",
    "attention",
    "callout",
    "caution",
    "check",
    "danger",
    "error",
    "experimental",
    "hint",
    "important",
    "info",
    "note",
    "notice",
    "question",
    "quote",
    "seealso",
    "success",
    "tip",
    "todo",
    "warn",
    "warning",
    "details",
    "example",
];

/// What delimits a box.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Delimiter {
    /// So many colons.
    Colons(usize),
    /// An element or a component.
    Tag(String),
}

/// Where a box, or what looks like one, begins or ends.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    /// Byte offset.
    pub at: usize,
    delimiter: Delimiter,
    /// Whether it is a box; None where it ends.
    opens: Option<bool>,
}

/// The edges in the lines of a paragraph that starts at a byte.
pub(crate) fn in_paragraph(text: &str, start: usize, edges: &mut Vec<Edge>) {
    let mut at = start;
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        let count = content.len() - content.trim_start_matches(':').len();
        if count >= 3 {
            let name = content[count..].trim();
            let opens = (!name.is_empty()).then(|| is_note(name));
            edges.push(Edge { at, delimiter: Delimiter::Colons(count), opens });
        }
        at += line.len();
    }
}

/// The edges in a piece of HTML that starts at a byte.
pub(crate) fn in_html(html: &str, start: usize, edges: &mut Vec<Edge>) {
    for (at, _) in html.match_indices('<') {
        let tag = &html[at + 1..];
        let (ends, tag) = tag.strip_prefix('/').map_or((false, tag), |tag| (true, tag));
        let length = tag.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let name = &tag[..length];
        let attributes = &tag[length..];
        let attributes = &attributes[..attributes.find('>').unwrap_or(attributes.len())];
        let is_component =
            name.starts_with(|c: char| c.is_ascii_uppercase()) && is_word(&name.to_ascii_lowercase());
        let has_class = CLASSED.contains(&name);
        if length == 0
            || length > MAX_NAME
            || attributes.ends_with('/')
            || !(ELEMENTS.contains(&name) || has_class || is_component)
        {
            continue;
        }
        let opens = (!ends).then(|| !has_class || class(attributes).is_some_and(is_note));
        edges.push(Edge { at: start + at, delimiter: Delimiter::Tag(name.to_owned()), opens });
    }
}

/// The boxes that are open while walking down a page.
#[derive(Debug, Default)]
pub(crate) struct Boxes {
    open: Vec<(Delimiter, bool)>,
    /// Where something of a kind ends for the last time: what has no end is no box.
    last_ends: HashMap<String, usize>,
}

impl Boxes {
    /// Passes an edge.
    pub(crate) fn pass(&mut self, text: &str, edge: Edge) {
        let Some(is_box) = edge.opens else {
            let same = |open: &(Delimiter, bool)| match (&open.0, &edge.delimiter) {
                (Delimiter::Colons(open), Delimiter::Colons(ends)) => open <= ends,
                (open, ends) => open == ends,
            };
            if let Some(at) = self.open.iter().rposition(same) {
                self.open.truncate(at);
            }
            return;
        };
        if let Delimiter::Colons(count) = edge.delimiter
            && let Some((Delimiter::Colons(around), _)) = self.open.last()
            && *around <= count
        {
            // One in another has fewer colons: the other was not ended.
            self.open.pop();
        }
        if self.open.len() < MAX_OPEN && self.ends(text, &edge) {
            self.open.push((edge.delimiter, is_box));
        }
    }

    /// Whether the page is in a box.
    pub(crate) fn are_open(&self) -> bool {
        self.open.iter().any(|(_, is_box)| *is_box)
    }

    fn ends(&mut self, text: &str, edge: &Edge) -> bool {
        let end = match &edge.delimiter {
            Delimiter::Colons(_) => "\n:::".to_owned(),
            Delimiter::Tag(name) => format!("</{name}"),
        };
        let last = *self.last_ends.entry(end).or_insert_with_key(|end| match end.strip_prefix('\n') {
            // What follows a box may be the beginning of another.
            Some(colons) => text
                .rmatch_indices(&**end)
                .map(|(at, _)| at)
                .find(|at| {
                    let line = text[at + 1..].lines().next().unwrap_or_default();
                    line.starts_with(colons) && line.trim_start_matches(':').trim().is_empty()
                })
                .unwrap_or_default(),
            None => text.rfind(&**end).unwrap_or_default(),
        });
        last > edge.at
    }
}

/// Whether the words that follow `:::`, or the class of an element, name a box.
fn is_note(name: &str) -> bool {
    let name = name.trim_start_matches(['{', '.', ' ']);
    let first = name.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).next().unwrap_or_default();
    let first = first.to_ascii_lowercase();
    let mut words = first.split('-');
    words.next().is_some_and(is_word) || words.next_back().is_some_and(is_word)
}

fn is_word(word: &str) -> bool {
    NOTES.contains(&word)
}

/// The class among the attributes of an element.
fn class(attributes: &str) -> Option<&str> {
    let start = attributes.find("class=").or_else(|| attributes.find("className="))?;
    let value = attributes[start..].split_once('=')?.1.trim_start_matches(['"', '\'', '{']);
    value.split(['"', '\'', '>']).next()
}

#[cfg(test)]
mod tests {
    use crate::chunk::markdown::Marks;
    use crate::chunk::outline::Outline;

    /// The headings of a page that are over what follows them.
    fn headings(text: &str) -> Vec<String> {
        let mut outline = Outline::new(text, 100, || ());
        let [headings, _] = outline.headings();
        while outline.next_to(text.len()).is_some() {}
        headings.borrow().iter().map(|heading| heading.text.clone()).collect()
    }

    #[test]
    fn what_follows_a_box_is_not_under_its_heading() {
        for note in [
            "> **Note**\n> text",
            "> ## Note\n> text",
            "> [!NOTE]\n> ### Note\n> text",
            ":::note\n\n### Note\n\ntext\n\n:::",
            ":::tip[Title]\n### Note\ntext\n:::",
            "::: warning\n## Note\ntext\n:::",
            "::: {.callout-note}\n## Note\ntext\n:::",
            ":::{important}\n## Note\n:::",
            "::::info\n## Note\n:::tip\n### Inner\n:::\ntext\n::::",
            "!!! note\n    ## Note\n    text",
            "!!! note \"Title\"\n\n    ### Note\n\n    text",
            "??? tip\n\n    ### Note\n\n    text",
            "<Note>\n\n### Note\n\ntext\n\n</Note>",
            "<Callout type=\"info\">\n\n### Note\n\n</Callout>",
            "<aside>\n\n## Note\n\ntext\n\n</aside>",
            "<div class=\"note\">\n\n<div>\n\ntext\n\n</div>\n\n### Note\n\n</div>",
            "```{note}\n## Note\n```",
        ] {
            let page = format!("# Guide\n\n## Cleaning\n\n{note}\n\nAfter\n\n## Next\n\ntext");
            assert_eq!(headings(&page), ["Guide", "Cleaning", "Next"], "{note}");
        }
    }

    #[test]
    fn other_headings_count() {
        for section in [
            "### Part",
            "::: {.column}\n\n### Part\n\n:::",
            ":::tabs\n### Part\n:::",
            // What has no end is no box.
            ":::note\n\n### Part",
            "<Note>\n\n### Part",
            "<aside/>\n\n### Part",
            "<div>\n\n### Part\n\n</div>",
            "<Tabs>\n\n### Part\n\n</Tabs>",
            "```\n:::note\n```\n\n### Part\n\ntext\n\n:::",
            ":::note\ntext\n:::\n\n### Part",
            ":::note\n\n:::note\ntext\n:::\n\n### Part\n\n",
        ] {
            let page = format!("# Guide\n\n## Cleaning\n\n{section}\n\nAfter");
            assert_eq!(headings(&page), ["Guide", "Cleaning", "Part"], "{section}");
        }
    }
}
