//! kb_add: one document, replaced when its source key is known.

use kb_rag_core::file_kind::{Reader, is_path, looks_like};
use kb_rag_core::web::WebUrl;
use pgrx::{Uuid, pg_sys};

use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::lookup;
use crate::postgres::privilege;
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Arg, Connection};

/// The default type of a document of kb_add.
pub const DEFAULT_SOURCE_TYPE: &str = "document";

/// The arguments of kb_add; None for those whose default is NULL.
pub struct Addition<'a> {
    pub content: &'a str,
    pub title: Option<&'a str>,
    pub source_key: Option<&'a str>,
    pub source_type: &'a str,
    pub metadata: Jsonb,
    pub mime_type: Option<&'a str>,
    pub language: Option<&'a str>,
}

/// Adds or replaces the document; the triggers chunk and embed it. The statement runs as the base's owner after the
/// caller's privileges are checked, unless row security decides which rows the caller may write: then as the caller.
pub fn add(knowledge_base: &str, addition: &Addition) -> Result<Uuid> {
    check_metadata(&addition.metadata)?;
    if addition.source_key == Some("") {
        return Err(Error::invalid("source_key is empty").hint("Leave it out for a document without a key."));
    }
    let base = base::by_name(knowledge_base, Access::Write).map_err(|error| {
        base::in_order(
            error,
            knowledge_base,
            addition.content,
            "The name of the knowledge base comes before the content.",
        )
    })?;
    let id = base::naming_base(&base.name, "written to", || write(&base, addition))?;
    notify_of_misplaced(addition);
    warn_of_file(addition);
    Ok(id)
}

/// Notifies of metadata in the place of an argument before it.
fn notify_of_misplaced(addition: &Addition) {
    if !addition.metadata.is_empty_object() {
        return;
    }
    let names = [
        ("title", addition.title),
        ("source_key", addition.source_key),
        ("source_type", Some(addition.source_type)),
    ];
    for (name, value) in names {
        let Some(value) = value.filter(|value| value.starts_with('{')) else { continue };
        if serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(value).is_ok() {
            Error::remark(format!("{name} is a JSON object"))
                .hint("Give metadata by name: kb_add(…, metadata => '{\"team\": \"support\"}').")
                .notify_once();
        }
    }
}

/// 22023 for metadata that is no object.
pub fn check_metadata(metadata: &Jsonb) -> Result<()> {
    if metadata.is_object() {
        return Ok(());
    }
    Err(Error::invalid("metadata must be a JSON object").hint("For example '{\"team\": \"support\"}'."))
}

fn write(base: &KnowledgeBase, addition: &Addition) -> Result<Uuid> {
    as_writer(base, addition.source_key.is_some(), || spi::connect(|c| upsert(c, base, addition)))
}

/// Runs `work` on the documents of a base as its owner after the caller's privileges are checked: to insert documents, and
/// to update them where one may be replaced. Where row security decides which rows the caller may write, it runs as the caller.
pub(super) fn as_writer<T>(
    base: &KnowledgeBase,
    replaces: bool,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    let table = base.table(c"document")?;
    if privilege::is_row_secured(table) {
        return guc::with_settings(&[], work);
    }
    check_rights(base, table, replaces)?;
    role::run_as(lookup::table_owner(table)?, work)
}

/// Warns of a text that is empty, of a URL in place of its page, of a path in place of its file, and of a file that is not text: its tags or
/// hexadecimal digits are searched as words.
fn warn_of_file(addition: &Addition) {
    let text = addition.content.trim();
    if text.is_empty() {
        let empty = Error::remark("the text is empty, and no search finds the document");
        // It may replace a text.
        match addition.source_key {
            Some(_) => empty.notify(),
            None => empty.notify_once(),
        }
        return;
    }
    if text.starts_with("http") && !text.contains(char::is_whitespace) && WebUrl::parse(text).is_ok() {
        Error::warning("the text is only a URL, and is indexed as it is")
            .hint("kb_add_url fetches the page.")
            .notify();
        return;
    }
    if is_path(text) {
        Error::remark("the text is only the path of a file, and is indexed as it is")
            .hint("kb_add_file reads files: pass it the bytes, for example pg_read_binary_file('/path/of/the/file').")
            .notify_once();
        return;
    }
    let Some(kind) = looks_like(addition.mime_type, addition.content) else { return };
    let hint = match kind.reader() {
        Ok(Reader::Html) => "kb_add_file reads it: pass it the bytes, with mime_type => 'text/html'.",
        Ok(_) => "kb_add_file reads such files: pass it the bytes.",
        Err(_) => {
            "kb_add_file reads files. Files of Word (DOCX) are ZIP archives, which it reads; other ZIP archives it does not."
        }
    };
    Error::warning(format!("the text looks like {}, and is indexed as it is", kind.name)).hint(hint).notify();
}

/// 42501 unless the caller may insert documents.
pub fn require_insert(base: &KnowledgeBase) -> Result<()> {
    check_rights(base, base.table(c"document")?, false)
}

/// 42501 unless the caller may insert documents, and update them when one may be replaced.
fn check_rights(base: &KnowledgeBase, table: pg_sys::Oid, replaces: bool) -> Result<()> {
    check_rights_of(base, table, replaces, role::current_role())
}

/// The same for another role.
pub(super) fn check_rights_of(
    base: &KnowledgeBase,
    table: pg_sys::Oid,
    replaces: bool,
    caller: pg_sys::Oid,
) -> Result<()> {
    let allowed = spi::connect(|c| {
        c.query_one(
            include_str!("may_write.sql"),
            Access::Read,
            &[Arg::new(caller), Arg::new(base.schema.as_str()), Arg::new(table), Arg::new(replaces)],
            |row| row.require::<bool>(1),
        )
    })?;
    if allowed == Some(true) { Ok(()) } else { Err(base.denied_to_write()) }
}

fn upsert(connection: &Connection, base: &KnowledgeBase, addition: &Addition) -> Result<Uuid> {
    let schema = base.quoted_schema();
    let write = |guard: &str| -> Result<Option<Uuid>> {
        let values = [("schema", schema.as_str()), ("key", base.conflict_target()?), ("guard", guard)];
        let sql = spi::render(include_str!("upsert.sql"), &values);
        let args = [
            Arg::new(addition.source_type),
            Arg::new(addition.source_key),
            Arg::new(addition.title),
            Arg::new(addition.content),
            Arg::new(addition.mime_type),
            Arg::new(addition.metadata.clone()),
            Arg::new(addition.language),
        ];
        connection.query_one(&sql, Access::Write, &args, |row| row.require(1))
    };
    if let Some(id) = write(include_str!("upsert_guard.sql"))? {
        return Ok(id);
    }
    // Nothing was written: usually the same document is there already.
    let existing = spi::render(include_str!("existing.sql"), &[("schema", &schema)]);
    let args = [Arg::new(addition.source_type), Arg::new(addition.source_key)];
    if let Some(id) = connection.query_one(&existing, Access::Write, &args, |row| row.require(1))? {
        return Ok(id);
    }
    // Deleted just now, moved to another key by a trigger, or hidden by row security: write without the guard.
    write("")?.ok_or_else(suppressed)
}

/// 55000: a document was not written, without an error.
pub(super) fn suppressed() -> Error {
    Error::not_ready("a trigger on the table document suppressed the row")
        .hint("Look at the triggers of the table.")
}
