//! The elements of a part that are open while it is read.

use super::markdown::Block;
use super::styles::InList;

/// A paragraph.
#[derive(Default)]
pub struct Paragraph {
    /// Its text.
    pub text: String,
    /// Its style.
    pub style: Option<String>,
    /// Where it stands in a list.
    pub in_list: InList,
    /// Its level as a heading, from 0, if it has one of its own.
    pub outline: Option<u8>,
    /// The reading of the ruby text at its end.
    pub reading: String,
    /// Whether it is the large first letter of the next paragraph.
    pub drop_cap: bool,
    /// Whether its end is hidden or was removed.
    pub is_gone: bool,
    /// Text boxes that are anchored in it; they come after it.
    pub after: Vec<Block>,
}

impl Paragraph {
    /// Puts the reading of ruby text behind it: once behind a word whose letters have readings of their own.
    pub fn read(&mut self) {
        let reading = std::mem::take(&mut self.reading);
        if !reading.trim().is_empty() {
            self.text.push_str(&format!("({})", reading.trim()));
        }
    }
}

/// Text with a reading above it, which comes first.
#[derive(Clone, Copy)]
pub enum Ruby {
    /// The reading.
    Reading,
    /// The text.
    Base,
}

/// A table.
#[derive(Default)]
pub struct Table {
    /// The rows that ended.
    pub rows: Vec<Vec<String>>,
    /// The cells of the row that is open.
    pub row: Vec<String>,
    /// Whether a tracked change removed it.
    pub row_deleted: bool,
    /// The columns of the cell that is open.
    pub span: usize,
}

/// What is open, from the body to the innermost element.
pub enum Open {
    /// A cell, a text box, a note or the body: blocks are put into it.
    Blocks(Vec<Block>),
    /// A paragraph.
    Paragraph(Paragraph),
    /// A table.
    Table(Table),
}
