//! Jupyter notebooks (nbformat 3 and 4) as Markdown: the cells one after the other, code in fences, and what it printed as far
//! as it is short text. Images and other data are left out.

use std::fmt::Write as _;

use kb_rag_core::extract_protocol::{Failure, Page, Properties};
use serde::Deserialize;

use crate::text::{charset, decode, first_heading};
use crate::{File, Text};

/// A longer output of a cell is cut there, in characters and lines: results are read, logs are not.
const MAX_OUTPUT: usize = 1_000;
const MAX_OUTPUT_LINES: usize = 25;

/// The shortest fence of code.
const FENCE: usize = 3;

#[derive(Deserialize)]
struct Notebook {
    #[serde(default)]
    metadata: Metadata,
    #[serde(default)]
    cells: Vec<Cell>,
    /// Cells of format 3.
    #[serde(default)]
    worksheets: Vec<Worksheet>,
}

#[derive(Default, Deserialize)]
struct Metadata {
    title: Option<Lines>,
    kernelspec: Option<Language>,
    language_info: Option<Language>,
}

#[derive(Deserialize)]
struct Language {
    language: Option<String>,
    name: Option<String>,
}

#[derive(Deserialize)]
struct Worksheet {
    #[serde(default)]
    cells: Vec<Cell>,
}

#[derive(Deserialize)]
struct Cell {
    #[serde(default)]
    cell_type: String,
    source: Option<Lines>,
    /// The source of code in format 3.
    input: Option<Lines>,
    /// That of headings in format 3.
    level: Option<u8>,
    #[serde(default)]
    outputs: Vec<Output>,
}

/// Of what a cell printed and showed, its texts only.
#[derive(Deserialize)]
struct Output {
    text: Option<Lines>,
    data: Option<Data>,
    ename: Option<String>,
    evalue: Option<String>,
}

#[derive(Deserialize)]
struct Data {
    #[serde(rename = "text/markdown")]
    markdown: Option<Lines>,
    #[serde(rename = "text/plain")]
    plain: Option<Lines>,
}

/// A text, which may be divided into its lines.
#[derive(Deserialize)]
#[serde(untagged)]
enum Lines {
    Whole(String),
    Parts(Vec<String>),
    /// Not what the format says.
    Other(serde::de::IgnoredAny),
}

impl Lines {
    fn text(&self) -> String {
        let text = match self {
            Self::Whole(text) => text.clone(),
            Self::Parts(parts) => parts.concat(),
            Self::Other(_) => String::new(),
        };
        text.replace("\r\n", "\n").replace('\0', "")
    }
}

/// The text of a notebook.
///
/// # Errors
/// [`Failure::Damaged`] if it is no notebook.
pub fn extract(file: &File) -> Result<Text, Failure> {
    let content = decode(file.bytes, file.mime_type.and_then(charset));
    let damaged = |error: serde_json::Error| Failure::Damaged(format!("it is no notebook: {error}"));
    let notebook: Notebook = serde_json::from_str(content.trim_start_matches('\u{feff}')).map_err(damaged)?;
    let language = notebook.metadata.language();
    let cells = notebook.cells.iter().chain(notebook.worksheets.iter().flat_map(|sheet| &sheet.cells));
    let blocks: Vec<String> =
        cells.flat_map(|cell| cell.blocks(&language)).filter(|block| !block.is_empty()).collect();
    let content = blocks.join("\n\n");
    let title = notebook.metadata.title.as_ref().map(Lines::text).filter(|title| !title.trim().is_empty());
    let title = title.or_else(|| first_heading(&content));
    let properties = Properties { title, markdown: true, ..Properties::default() };
    Ok(Text { properties, pages: vec![Page { content, error: None }] })
}

impl Metadata {
    /// The language of its code, as fences name it.
    fn language(&self) -> String {
        let info = self.language_info.as_ref().and_then(|info| info.name.clone());
        let kernel = self.kernelspec.as_ref().and_then(|kernel| kernel.language.clone());
        let language = info.or(kernel).unwrap_or_default().to_lowercase();
        language.chars().filter(|c| c.is_alphanumeric() || matches!(c, '+' | '#' | '-')).take(40).collect()
    }
}

impl Cell {
    fn blocks(&self, language: &str) -> Vec<String> {
        let source = self.source.as_ref().or(self.input.as_ref()).map(Lines::text).unwrap_or_default();
        let source = source.trim_matches('\n').trim_end();
        match self.cell_type.as_str() {
            "code" => {
                let code = fenced(source, language);
                std::iter::once(code).chain(self.outputs.iter().filter_map(Output::block)).collect()
            }
            "heading" => {
                let level = usize::from(self.level.unwrap_or(1)).clamp(1, 6);
                vec![format!("{} {}", "#".repeat(level), source.replace('\n', " "))]
            }
            _ => vec![source.to_owned()],
        }
    }
}

impl Output {
    fn block(&self) -> Option<String> {
        if let Some(markdown) = self.data.as_ref().and_then(|data| data.markdown.as_ref()) {
            return Some(shortened(markdown.text().trim()));
        }
        let plain = self.data.as_ref().and_then(|data| data.plain.as_ref()).or(self.text.as_ref());
        let text = match (&self.ename, &self.evalue) {
            (Some(name), Some(value)) => format!("{name}: {value}"),
            _ => plain?.text(),
        };
        let text = without_colors(&text);
        let text = text.trim_matches('\n').trim_end();
        // What stands for an object that was shown in another way, as in "<Figure size 640x480 with 1 Axes>".
        let is_object = text.starts_with('<') && text.ends_with('>') && !text.contains('\n');
        (!is_object).then(|| fenced(&shortened(text), ""))
    }
}

/// The beginning of a text.
fn shortened(text: &str) -> String {
    let lines = text.lines().take(MAX_OUTPUT_LINES).map(|line| line.len() + 1).sum::<usize>();
    let end = text.char_indices().nth(MAX_OUTPUT).map_or(text.len(), |(at, _)| at).min(lines);
    match text.get(..end) {
        Some(beginning) if end < text.len() => format!("{}\n…", beginning.trim_end()),
        _ => text.to_owned(),
    }
}

/// A block of code, with a fence that does not occur in it. Nothing for no code.
fn fenced(code: &str, language: &str) -> String {
    if code.trim().is_empty() {
        return String::new();
    }
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(FENCE.max(longest + 1));
    let mut block = String::with_capacity(code.len() + 2 * fence.len() + language.len() + 2);
    // Writing to a string does not fail.
    let _ = write!(block, "{fence}{language}\n{code}\n{fence}");
    block
}

/// A text without the sequences that color it on a terminal, and with carriage returns as a terminal shows them.
fn without_colors(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' if rest.peek() == Some(&'[') => {
                rest.next();
                let _ = rest.by_ref().find(|c| c.is_ascii_alphabetic());
            }
            '\u{1b}' => {}
            c => out.push(c),
        }
    }
    let shown =
        out.split('\n').map(|line| line.rsplit('\r').find(|part| !part.is_empty()).unwrap_or_default());
    shown.collect::<Vec<_>>().join("\n")
}
