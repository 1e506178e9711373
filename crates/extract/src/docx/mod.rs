//! The text of Word documents (DOCX, ISO/IEC 29500) as Markdown.
//!
//! Headings, lists and tables become Markdown, footnotes and endnotes stand at the end. Left out: what tracked changes
//! removed, hidden text, comments, headers and footers, and embedded files.

mod body;
mod label;
mod markdown;
mod number;
mod numbering;
mod open;
mod package;
mod styles;
pub(crate) mod xml;

use std::collections::HashMap;

use kb_rag_core::extract_protocol::{Failure, Page, Properties};

use self::body::{Meaning, Walker};
use self::markdown::{Block, markdown};
use self::numbering::Numbering;
use self::package::Package;
use self::styles::Styles;
use self::xml::{Events, Node, Stop};
use crate::{File, Text};

/// The first bytes of a compound file: an encrypted document, or one of Word 97 to 2003.
const COMPOUND_FILE: [u8; 8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1];

/// The text of a Word document.
///
/// # Errors
/// [`Failure::Unsupported`] if it is encrypted or another kind of Office file, [`Failure::Damaged`] if nothing of it can be
/// read, [`Failure::Limit`] if it unpacks to too much. If the document breaks off, [`Page::error`] says so.
pub fn extract(file: &File) -> Result<Text, Failure> {
    if file.bytes.starts_with(&COMPOUND_FILE) {
        let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let encrypted = file.bytes.windows(name.len()).any(|window| window == name);
        let what = if encrypted { "an encrypted Office file" } else { "a file of Office 97 to 2003" };
        return Err(Failure::Unsupported(what.into()));
    }
    let mut package = Package::open(file.bytes)?;
    let root = package.relations("")?;
    let main = root.get("officeDocument").map_or("word/document.xml", String::as_str);
    match main.split('/').next() {
        Some("xl") => return Err(Failure::Unsupported("an XLSX file".into())),
        Some("ppt") => return Err(Failure::Unsupported("a PPTX file".into())),
        _ => {}
    }
    let Some(document) = package.read(main)? else {
        return Err(Failure::Damaged("it has no Word document in it".into()));
    };
    let relations = package.relations(main)?;
    let mut part = |kind: &str, usual: &str| match relations.get(kind).map_or(usual, String::as_str) {
        name if package.has(name) => package.read(name),
        _ => Ok(None),
    };
    let styles = part("styles", "word/styles.xml")?.map(|xml| Styles::read(&xml)).unwrap_or_default();
    let numbering =
        part("numbering", "word/numbering.xml")?.map(|xml| Numbering::read(&xml)).unwrap_or_default();
    let footnotes = part("footnotes", "word/footnotes.xml")?.unwrap_or_default();
    let endnotes = part("endnotes", "word/endnotes.xml")?.unwrap_or_default();
    let core = root.get("core-properties").map_or("docProps/core.xml", String::as_str);
    let title = package.read(core)?.and_then(|xml| title(&xml));

    let meaning = Meaning { styles: &styles, numbering: &numbering };
    let mut walker = Walker::new(&meaning);
    let (mut blocks, stop) = walker.body(&document);
    let mut damaged = is_damaged(stop)?;
    let mut notes: HashMap<(bool, String), Vec<Block>> = HashMap::new();
    let referred = std::mem::take(&mut walker.notes);
    for (at_end, xml) in [(false, &footnotes), (true, &endnotes)] {
        if referred.iter().any(|(of, _)| *of == at_end) {
            let (found, stop) = walker.notes_of(xml);
            damaged |= is_damaged(stop)?;
            notes.extend(found.into_iter().map(|(id, blocks)| ((at_end, id), blocks)));
        }
    }
    let title = title.or_else(|| blocks.iter().find_map(heading));
    let mut content = markdown(&blocks);
    blocks.clear();
    for (at, note) in referred.into_iter().enumerate() {
        let text: Vec<String> = notes.get(&note).into_iter().flatten().map(Block::plain).collect();
        if !text.is_empty() {
            content.push_str(&format!("\n\n[^{}]: {}", at + 1, text.join(" ")));
        }
    }
    if damaged && content.is_empty() {
        return Err(Failure::Damaged("its XML is not well-formed".into()));
    }
    let error = damaged.then(|| "the document breaks off: its XML is not well-formed".to_owned());
    let properties =
        Properties { title, language: styles.language.clone(), markdown: true, ..Properties::default() };
    Ok(Text { properties, pages: vec![Page { content, error }] })
}

fn is_damaged(stop: Option<Stop>) -> Result<bool, Failure> {
    match stop {
        None => Ok(false),
        Some(Stop::Damaged) => Ok(true),
        Some(Stop::Limit(failure)) => Err(failure),
    }
}

/// The text of a heading that names the document.
fn heading(block: &Block) -> Option<String> {
    let is_heading = matches!(block, Block::Heading(..));
    is_heading.then(|| crate::pdf::properties::title(&block.plain())).flatten()
}

/// The title in docProps/core.xml.
fn title(xml: &str) -> Option<String> {
    let mut events = Events::new(xml);
    let mut found: Option<String> = None;
    while let Ok(Some(node)) = events.next() {
        match node {
            Node::Start(tag) if tag.local_name().into_inner() == "title" => found = Some(String::new()),
            Node::Text(text) => {
                if let Some(found) = &mut found {
                    found.push_str(&text);
                }
            }
            Node::End(name) if name == "title" => break,
            _ => {}
        }
    }
    crate::pdf::properties::title(&found?)
}
