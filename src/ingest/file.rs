//! kb_add_file: one document from a file.

use kb_rag_core::chunk::{Strategy, detect};
use kb_rag_core::file_kind::is_path;
use pgrx::Uuid;
use sha2::{Digest, Sha256};

use super::add::{self, DEFAULT_SOURCE_TYPE};
use super::language;
use super::own_write::FileWrite;
use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::extraction::{self, File, Text, file_name};
use crate::postgres::guc;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::spi::{self, Access, Arg};

/// The type of a document whose file name is that of a program.
const CODE: &str = "code";

/// At most this many pages are named in a warning.
const MAX_NAMED_PAGES: usize = 20;

/// The arguments of kb_add_file; None for those whose default is NULL.
pub struct FileAddition<'a> {
    pub file: File<'a>,
    pub filename: &'a str,
    pub title: Option<&'a str>,
    pub source_key: Option<&'a str>,
    pub source_type: Option<&'a str>,
    pub metadata: Jsonb,
    pub language: Option<&'a str>,
    pub source_id: Option<Uuid>,
}

/// Adds or replaces the document of a file. A file that is there already is not read again, unless an earlier version of its
/// reader or of the chunker made the document.
pub fn add_file(knowledge_base: &str, addition: &FileAddition) -> Result<Uuid> {
    let add = || {
        add::check_metadata(&addition.metadata)?;
        for (name, value) in [("filename", Some(addition.filename)), ("source_key", addition.source_key)] {
            if value == Some("") {
                return Err(
                    Error::invalid(format!("{name} is empty")).hint("Give the name or the path of the file.")
                );
            }
        }
        // It would replace the text of an earlier version.
        if addition.file.bytes.is_empty() {
            return Err(Error::bad_file(format!("file \"{}\" is empty", addition.filename))
                .hint("Check its path: a file that could not be read often arrives without bytes."));
        }
        let base = base::by_name(knowledge_base, Access::Write)?;
        base::naming_base(&base.name, "written to", || write(&base, addition))
    };
    // The statement may contain the password.
    if addition.file.password.is_some() { guc::concealing_statement(add) } else { add() }
}

fn write(base: &KnowledgeBase, addition: &FileAddition) -> Result<Uuid> {
    let document = Document::from_addition(addition);
    let unchanged = add::as_writer(base, true, || document.keep(base))?;
    if let Some(id) = unchanged {
        return Ok(id);
    }
    let text = extraction::read(&addition.file)?;
    check_text(addition.filename, &text)?;
    let id = add::as_writer(base, true, || document.replace(base, &text))?;
    warn_of_pages(addition.filename, &text);
    extraction::warn_of_remark(Some(addition.filename), &text);
    warn_of_path(addition);
    Ok(id)
}

/// Warns of a text file that has a path as its text.
fn warn_of_path(addition: &FileAddition) {
    if std::str::from_utf8(addition.file.bytes).is_ok_and(is_path) {
        Error::warning(format!("file \"{}\" has only a path as text", addition.filename))
            .hint(extraction::PASS_BYTES)
            .notify();
    }
}

/// What is known of a document before its file is read.
struct Document<'a> {
    addition: &'a FileAddition<'a>,
    source_type: &'a str,
    source_key: &'a str,
    filename: &'a str,
    hash: Vec<u8>,
}

impl<'a> Document<'a> {
    fn from_addition(addition: &'a FileAddition<'a>) -> Document<'a> {
        let filename = file_name(addition.filename);
        let is_code = detect(None, Some(filename), None) == Strategy::Code;
        Document {
            addition,
            source_type: addition.source_type.unwrap_or(if is_code { CODE } else { DEFAULT_SOURCE_TYPE }),
            source_key: addition.source_key.unwrap_or(addition.filename),
            filename,
            hash: Sha256::digest(addition.file.bytes).to_vec(),
        }
    }

    /// The document, if today's reader and chunker made it from the same file; its title, language and metadata are those of the call then. With a
    /// MIME type, the file is always read again: it may have been read as another kind.
    fn keep(&self, base: &KnowledgeBase) -> Result<Option<Uuid>> {
        let a = self.addition;
        if a.file.mime_type.is_some() {
            return Ok(None);
        }
        // An index finds a null only by IS NULL.
        let source =
            if a.source_id.is_some() { "d.source_id = $1" } else { "$1 IS NULL AND d.source_id IS NULL" };
        let schema = base.quoted_schema();
        let find = spi::render(include_str!("file_unchanged.sql"), &[("source", source)]);
        let find = base.versions()?.render(&find, &schema);
        let keep = spi::render(include_str!("file_keep.sql"), &[("schema", &schema)]);
        spi::connect(|c| {
            let key = [
                Arg::new(a.source_id),
                Arg::new(self.source_type),
                Arg::new(self.source_key),
                Arg::new(self.hash.clone()),
                Arg::new(a.file.bytes.len() as i64),
                Arg::new(a.metadata.clone()),
                Arg::new(self.filename),
            ];
            let found: Option<Uuid> = c.query_one(&find, Access::Write, &key, |row| row.require(1))?;
            if let Some(id) = found {
                let args = [
                    Arg::new(id),
                    Arg::new(a.title),
                    Arg::new(a.metadata.clone()),
                    Arg::new(a.language),
                    Arg::new(self.filename),
                ];
                c.execute(&keep, &args)?;
            }
            Ok(found)
        })
    }

    fn replace(&self, base: &KnowledgeBase, text: &Text) -> Result<Uuid> {
        let a = self.addition;
        let _file = FileWrite::begin(text.properties.reader.as_ref());
        let schema = base.quoted_schema();
        let values = [("schema", schema.as_str()), ("key", base.conflict_target()?)];
        let sql = spi::render(include_str!("file_upsert.sql"), &values);
        let declared = text.properties.language.as_deref().filter(|declared| language::is_trusted(declared));
        let args = [
            Arg::new(a.source_id),
            Arg::new(self.source_type),
            Arg::new(self.source_key),
            Arg::new(a.title.or(text.properties.title.as_deref())),
            Arg::new(text.content()),
            Arg::new(text.mime_type()),
            Arg::new(a.metadata.clone()),
            Arg::new(a.language),
            Arg::new(declared),
            Arg::new(self.hash.clone()),
            Arg::new(a.file.bytes.len() as i64),
            Arg::new(self.filename),
        ];
        let id = spi::connect(|c| c.query_one(&sql, Access::Write, &args, |row| row.require(1)))?;
        id.ok_or_else(add::suppressed)
    }
}

/// 22000 for an HTML page of which nothing is left.
fn check_text(filename: &str, text: &Text) -> Result<()> {
    let Some(reason) = text.why_empty() else { return Ok(()) };
    Err(Error::bad_file(format!("file \"{filename}\" has no text: {reason}")))
}

fn warn_of_pages(filename: &str, text: &Text) {
    let failed: Vec<(usize, &str)> =
        (1..).zip(&text.pages).filter_map(|(number, page)| Some((number, page.error.as_deref()?))).collect();
    if failed.is_empty() {
        if text.pages.iter().all(|page| page.content.trim().is_empty()) {
            Error::warning(format!("file \"{filename}\" has no text")).notify();
        }
        return;
    }
    let numbers: Vec<String> =
        failed.iter().take(MAX_NAMED_PAGES).map(|(number, _)| number.to_string()).collect();
    let more = if failed.len() > MAX_NAMED_PAGES { " and others" } else { "" };
    let reasons: Vec<String> = failed
        .iter()
        .take(MAX_NAMED_PAGES)
        .map(|(number, error)| format!("Page {number}: {error}."))
        .collect();
    let what = if failed.len() == 1 { "page" } else { "pages" };
    Error::warning(format!(
        "file \"{filename}\" has no complete text of {what} {}{more}",
        numbers.join(", ")
    ))
    .detail(reasons.join(" "))
    .notify();
}
