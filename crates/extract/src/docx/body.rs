//! The text of a part with paragraphs: the body, and notes.

use std::collections::HashMap;

use quick_xml::events::BytesStart;

use super::label::{Counter, Label, is_number_of_markdown};
use super::markdown::Block;
use super::numbering::Numbering;
use super::open::{Open, Paragraph, Ruby, Table};
use super::styles::Styles;
use super::xml::{Events, Node, Stop, attribute, is_on};

/// Cells that a cell may span.
const MAX_SPAN: usize = 60;

/// What the elements of a part mean.
pub struct Meaning<'a> {
    /// The styles of the document.
    pub styles: &'a Styles,
    /// The forms of its lists.
    pub numbering: &'a Numbering,
}

/// Text elements that are not shown: what tracked changes removed, what newer programs show in another way, and codes of
/// fields. What a change replaced is in elements that end in "Change".
fn is_skipped(name: &str) -> bool {
    matches!(
        name,
        "del"
            | "moveFrom"
            | "Fallback"
            | "instrText"
            | "delText"
            | "delInstrText"
            | "binData"
            | "numPicBullet"
    ) || name.ends_with("Change")
}

/// Reads a part.
pub struct Walker<'a> {
    meaning: &'a Meaning<'a>,
    open: Vec<Open>,
    counter: Counter<'a>,
    /// The notes referred to, in the order of their first reference: whether at the end of the document, and the name.
    pub notes: Vec<(bool, String)>,
    known_notes: HashMap<(bool, String), usize>,
    in_text: usize,
    in_run: bool,
    in_row_properties: bool,
    in_properties: bool,
    hidden: bool,
    placeholder: bool,
    skipped: usize,
    /// The first letter of the next paragraph.
    drop_cap: String,
    /// The part of ruby text that is open.
    ruby: Option<Ruby>,
}

impl<'a> Walker<'a> {
    /// A reader of parts.
    pub fn new(meaning: &'a Meaning<'a>) -> Self {
        Self {
            meaning,
            open: Vec::new(),
            counter: Counter::new(meaning.numbering, meaning.styles),
            notes: Vec::new(),
            known_notes: HashMap::new(),
            in_text: 0,
            in_run: false,
            in_row_properties: false,
            in_properties: false,
            hidden: false,
            placeholder: false,
            skipped: 0,
            drop_cap: String::new(),
            ruby: None,
        }
    }

    /// The blocks of a part, and why reading stopped before its end, if it did.
    pub fn body(&mut self, xml: &str) -> (Vec<Block>, Option<Stop>) {
        let mut events = Events::new(xml);
        self.begin();
        let stop = loop {
            match events.next() {
                Ok(Some(node)) => self.node(node),
                Ok(None) => break None,
                Err(stop) => break Some(stop),
            }
        };
        (self.finish(), stop)
    }

    /// The blocks of the notes of a part, by their names.
    pub fn notes_of(&mut self, xml: &str) -> (HashMap<String, Vec<Block>>, Option<Stop>) {
        let mut notes = HashMap::new();
        let mut events = Events::new(xml);
        let mut id = None;
        let stop = loop {
            match events.next() {
                Ok(Some(Node::Start(tag)))
                    if matches!(tag.local_name().into_inner(), "footnote" | "endnote") =>
                {
                    // Those with a type are the lines above the notes.
                    id = attribute(&tag, "id")
                        .filter(|_| attribute(&tag, "type").is_none_or(|kind| kind == "normal"));
                    self.begin();
                }
                Ok(Some(Node::End(name))) if matches!(name.as_str(), "footnote" | "endnote") => {
                    let blocks = self.finish();
                    notes.extend(id.take().map(|id| (id, blocks)));
                }
                Ok(Some(node)) => self.node(node),
                Ok(None) => break None,
                Err(stop) => break Some(stop),
            }
        };
        (notes, stop)
    }

    fn begin(&mut self) {
        self.open = vec![Open::Blocks(Vec::new())];
        (self.in_text, self.skipped, self.ruby) = (0, 0, None);
        (self.in_run, self.hidden, self.placeholder) = (false, false, false);
        (self.in_row_properties, self.in_properties) = (false, false);
    }

    /// Closes what is open, and returns the blocks.
    fn finish(&mut self) -> Vec<Block> {
        while self.open.len() > 1 {
            match self.open.last() {
                Some(Open::Blocks(_)) => self.close_blocks(),
                Some(Open::Paragraph(_)) => self.close_paragraph(),
                _ => self.close_table(),
            }
        }
        match self.open.pop() {
            Some(Open::Blocks(blocks)) => blocks,
            _ => Vec::new(),
        }
    }

    fn node(&mut self, node: Node<'_>) {
        match node {
            Node::Start(_) if self.skipped > 0 => self.skipped += 1,
            Node::End(_) if self.skipped > 0 => self.skipped -= 1,
            Node::Text(_) if self.skipped > 0 => {}
            Node::Start(tag) => self.start(&tag),
            Node::End(name) => self.end(&name),
            Node::Text(text) if self.in_text > 0 => self.push(&text.replace(['\n', '\r'], " ")),
            Node::Text(_) => {}
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>) {
        let name = tag.local_name();
        let name = name.into_inner();
        if name == "del" && self.in_row_properties {
            self.table(|table| table.row_deleted = true);
        }
        if matches!(name, "del" | "moveFrom" | "vanish") && self.in_properties && is_on(tag) {
            self.paragraph(|paragraph| paragraph.is_gone = true);
        }
        if is_skipped(name) || (name == "sdtContent" && std::mem::take(&mut self.placeholder)) {
            self.skipped = 1;
            return;
        }
        match name {
            "p" => {
                self.hidden = false;
                self.open.push(Open::Paragraph(Paragraph::default()));
            }
            "pPr" => self.in_properties = true,
            "tbl" => self.open.push(Open::Table(Table::default())),
            "tr" => self.table(|table| (table.row, table.row_deleted) = (Vec::new(), false)),
            "trPr" => self.in_row_properties = true,
            "tc" => {
                self.table(|table| table.span = 1);
                self.open.push(Open::Blocks(Vec::new()));
            }
            "txbxContent" => self.open.push(Open::Blocks(Vec::new())),
            "gridSpan" => {
                let span = attribute(tag, "val").and_then(|span| span.parse().ok()).unwrap_or(1);
                // The cell is the innermost element; its table is the one around it.
                if let Some(Open::Table(table)) = self.open.iter_mut().rev().nth(1) {
                    table.span = usize::clamp(span, 1, MAX_SPAN);
                }
            }
            "r" => (self.in_run, self.hidden) = (true, false),
            "vanish" if self.in_run => self.hidden = is_on(tag),
            "rStyle" => {
                let style = attribute(tag, "val").unwrap_or_default();
                self.hidden |= self.meaning.styles.hidden(&style);
            }
            "t" => self.in_text += 1,
            "tab" | "ptab" if self.in_run => self.push(" "),
            "br" | "cr" => self.push("\n"),
            "noBreakHyphen" => self.push("-"),
            "footnoteReference" => self.reference(false, tag),
            "endnoteReference" => self.reference(true, tag),
            "rt" => self.ruby = Some(Ruby::Reading),
            "rubyBase" => self.ruby = Some(Ruby::Base),
            "showingPlcHdr" => self.placeholder = is_on(tag),
            "sdtPr" => self.placeholder = false,
            _ => self.paragraph_property(name, tag),
        }
    }

    fn paragraph_property(&mut self, name: &str, tag: &BytesStart<'_>) {
        let Some(Open::Paragraph(paragraph)) = self.open.last_mut() else { return };
        let value = || attribute(tag, "val");
        match name {
            "pStyle" => paragraph.style = value(),
            "outlineLvl" => paragraph.outline = value().and_then(|level| level.parse().ok()),
            "numId" => paragraph.in_list.list = value(),
            "ilvl" => paragraph.in_list.level = value().and_then(|level| level.parse().ok()),
            "framePr" => paragraph.drop_cap = attribute(tag, "dropCap").is_some_and(|value| value != "none"),
            _ => {}
        }
    }

    fn end(&mut self, name: &str) {
        match name {
            "p" => self.close_paragraph(),
            "tbl" => self.close_table(),
            "tr" => self.table(|table| {
                let row = std::mem::take(&mut table.row);
                if !table.row_deleted {
                    table.rows.push(row);
                }
            }),
            "trPr" => self.in_row_properties = false,
            "pPr" => self.in_properties = false,
            "tc" | "txbxContent" => self.close_blocks(),
            "r" => (self.in_run, self.hidden) = (false, false),
            "t" => self.in_text = self.in_text.saturating_sub(1),
            "rt" | "rubyBase" => self.ruby = None,
            _ => {}
        }
    }

    fn push(&mut self, text: &str) {
        if let (Some(Open::Paragraph(paragraph)), false) = (self.open.last_mut(), self.hidden) {
            let text = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t'));
            match self.ruby {
                Some(Ruby::Reading) => paragraph.reading.extend(text),
                Some(Ruby::Base) => paragraph.text.extend(text),
                None => {
                    paragraph.read();
                    paragraph.text.extend(text);
                }
            }
        }
    }

    fn table(&mut self, change: impl FnOnce(&mut Table)) {
        if let Some(Open::Table(table)) = self.open.last_mut() {
            change(table);
        }
    }

    fn paragraph(&mut self, change: impl FnOnce(&mut Paragraph)) {
        if let Some(Open::Paragraph(paragraph)) = self.open.last_mut() {
            change(paragraph);
        }
    }

    fn reference(&mut self, at_end: bool, tag: &BytesStart<'_>) {
        let Some(id) = attribute(tag, "id") else { return };
        let next = self.notes.len() + 1;
        let number = *self.known_notes.entry((at_end, id.clone())).or_insert(next);
        if number == next {
            self.notes.push((at_end, id));
        }
        self.push(&format!("[^{number}]"));
    }

    /// Puts blocks into the innermost element that takes them.
    fn add(&mut self, blocks: Vec<Block>) {
        for open in self.open.iter_mut().rev() {
            match open {
                Open::Blocks(all) => return all.extend(blocks),
                Open::Paragraph(paragraph) => return paragraph.after.extend(blocks),
                Open::Table(_) => {}
            }
        }
    }

    fn close_paragraph(&mut self) {
        match self.open.pop() {
            Some(Open::Paragraph(paragraph)) => {
                let mut paragraph = paragraph;
                paragraph.read();
                if paragraph.drop_cap {
                    self.drop_cap = std::mem::take(&mut paragraph.text);
                } else if !self.drop_cap.is_empty() {
                    paragraph.text.insert_str(0, &std::mem::take(&mut self.drop_cap));
                }
                let after = std::mem::take(&mut paragraph.after);
                let block = self.block(paragraph);
                self.add(block.into_iter().chain(after).collect());
            }
            other => self.open.extend(other),
        }
    }

    fn block(&mut self, paragraph: Paragraph) -> Option<Block> {
        let Paragraph { text, style, in_list, outline, is_gone, .. } = paragraph;
        let style = style.as_deref();
        let styles = self.meaning.styles;
        let is_empty = text.trim().is_empty();
        if (is_empty && is_gone) || style.is_some_and(|style| styles.hidden(style)) {
            return None;
        }
        // Paragraphs without text count, and in a cell their number is all of it.
        let label = self.counter.next(in_list, style);
        let in_cell = self.open.iter().any(|open| matches!(open, Open::Table(_)));
        if is_empty {
            let (_, label) = label.filter(|(_, label)| in_cell && *label != Label::Bullet)?;
            return Some(Block::Paragraph(label.before("", false)));
        }
        let heading = match outline {
            Some(level @ 0..=8) => Some(level + 1),
            Some(_) => None,
            None => styles.heading(style),
        };
        if let Some(level) = heading {
            let text = label.map_or_else(|| text.clone(), |(_, label)| label.before(&text, false));
            return Some(Block::Heading(level, text));
        }
        Some(match label {
            None => Block::Paragraph(text),
            Some((level, Label::Bullet)) => Block::Item { level, number: None, text },
            Some((level, Label::Text { own, gap: true, .. })) if is_number_of_markdown(&own) => {
                Block::Item { level, number: Some(own), text }
            }
            Some((_, label)) => Block::Paragraph(label.before(&text, true)),
        })
    }

    fn close_blocks(&mut self) {
        if self.open.len() <= 1 {
            return;
        }
        match self.open.pop() {
            Some(Open::Blocks(blocks)) => match self.open.last_mut() {
                Some(Open::Table(table)) => {
                    let texts: Vec<String> =
                        blocks.iter().map(Block::plain).filter(|text| !text.is_empty()).collect();
                    table.row.push(texts.join(" "));
                    let more = table.span.saturating_sub(1);
                    table.row.extend(std::iter::repeat_n(String::new(), more));
                }
                _ => self.add(blocks),
            },
            other => self.open.extend(other),
        }
    }

    fn close_table(&mut self) {
        match self.open.pop() {
            Some(Open::Table(mut table)) => {
                if !table.row.is_empty() {
                    table.rows.push(table.row);
                }
                self.add(vec![Block::Table(table.rows)]);
            }
            other => self.open.extend(other),
        }
    }
}
