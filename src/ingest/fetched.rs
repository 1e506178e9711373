//! Documents of pages that workers fetched.

use kb_rag_core::extract_protocol::ReadBy;
use pgrx::{Uuid, pg_sys};

use super::add;
use super::language;
use super::own_write::FileWrite;
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::postgres::guc;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::privilege;
use crate::postgres::spi::{self, Access, Arg};
use crate::postgres::subtransaction;

/// The document of a page.
pub struct FetchedDocument<'a> {
    pub source: Uuid,
    pub source_type: &'a str,
    pub source_key: &'a str,
    pub title: Option<&'a str>,
    pub content: String,
    pub mime_type: &'a str,
    /// The language that the page declares.
    pub language: Option<&'a str>,
    pub metadata: Jsonb,
    /// What takes precedence over `metadata`.
    pub additions: Jsonb,
    /// What metadata gets as `filename`.
    pub filename: Option<&'a str>,
    /// SHA-256 of the page, and its size.
    pub hash: Vec<u8>,
    pub bytes: i64,
    pub reader: Option<ReadBy>,
}

/// Inserts or replaces it, as the owner of the base; one that has not changed is not written, unless an earlier
/// version of its reader or of the chunker made it. Workers make its vectors: this
/// transaction must not take long.
pub fn write_fetched(base: &KnowledgeBase, document: FetchedDocument) -> Result<Uuid> {
    let schema = base.quoted_schema();
    let key = || [Arg::new(document.source), Arg::new(document.source_type), Arg::new(document.source_key)];
    let write = || {
        spi::connect(|c| {
            let _file = FileWrite::begin(document.reader.as_ref());
            let declared = document.language.filter(|declared| language::is_trusted(declared));
            let mut args = key().into_iter().collect::<Vec<_>>();
            args.extend([
                Arg::new(document.title),
                Arg::new(document.content.as_str()),
                Arg::new(document.mime_type),
                Arg::new(document.metadata.clone()),
                Arg::new(document.additions.clone()),
                Arg::new(declared),
                Arg::new(document.hash.clone()),
                Arg::new(document.bytes),
                Arg::new(document.filename),
            ]);
            let sql = spi::render(include_str!("fetched_upsert.sql"), &[("key", base.conflict_target()?)]);
            let sql = base.versions()?.render(&sql, &schema);
            if let Some(id) = c.query_one(&sql, Access::Write, &args, |row| row.require(1))? {
                return Ok(Some(id));
            }
            let sql = spi::render(include_str!("fetched_existing.sql"), &[("schema", &schema)]);
            c.query_one(&sql, Access::Write, &key(), |row| row.require(1))
        })
    };
    let id = guc::with_settings(&[(c"kb_rag.inline_chunks", c"0")], || base.as_owner(write))?;
    id.ok_or_else(add::suppressed)
}

/// Cuts a document again if an earlier version of the chunker cut it, as the owner of the base; workers make its vectors. Chunks
/// that stay as they are keep theirs.
pub fn cut_again(base: &KnowledgeBase, document: Uuid) -> Result<()> {
    let sql = base.versions()?.render(include_str!("cut_again.sql"), &base.quoted_schema());
    write_later(|| base.connect(|c| c.execute(&sql, &[Arg::new(document)])).map(drop))
}

/// Has workers make the vectors of what `write` writes.
pub fn write_later(write: impl FnOnce() -> Result<()>) -> Result<()> {
    guc::with_settings(&[(c"kb_rag.inline_chunks", c"0")], write)
}

/// 42501 unless `role` may insert and update documents of the base.
pub fn require_writer(base: &KnowledgeBase, role: pg_sys::Oid) -> Result<()> {
    add::check_rights_of(base, base.table(c"document")?, true, role)
}

/// Where row security decides which documents the caller may write, runs `insert` as the caller and undoes it. 42501 if a
/// policy refuses it.
pub fn try_write(base: &KnowledgeBase, insert: impl FnOnce() -> Result<()>) -> Result<()> {
    if !privilege::is_row_secured(base.table(c"document")?) {
        return Ok(());
    }
    subtransaction::try_read(|| guc::with_settings(&[], insert))
}
