//! The triggers on `document`. One statement-level trigger per event, because a trigger with transition tables serves
//! one event only; the row-level one fills the columns that kb_rag keeps.

use std::ffi::CStr;

use kb_rag_core::extract_protocol::ReadBy;
use kb_rag_core::version::CHUNKER;
use pgrx::prelude::*;
use pgrx::{Uuid, pg_sys};
use sha2::{Digest, Sha256};

use super::own_write::FileWrite;
use super::sync::Groups;
use super::write::{self, MakeVectors};
use super::{language, next, own_write, refresh, status, summary, sync, waiting};
use crate::base;
use crate::base::versions::{self, Versions};
use crate::catalog::{format, missed};
use crate::error::{Error, Result, raise};
use crate::postgres::lookup;
use crate::postgres::role;
use crate::postgres::spi;
use crate::postgres::trigger::{self, Fired, Row, schema_of, touched_nothing};
use crate::postgres::tuple::{self, Tuple, Value};
use crate::postgres::uuid;
use crate::queue;

/// Where the table keeps which version of the chunker cut a document.
const RECUT: &str = "OR o.chunker_version IS DISTINCT FROM n.chunker_version";
/// A change of any of these may cut the text into other chunks.
const TEXT_COLUMNS: [&CStr; 4] = [c"content", c"title", c"mime_type", c"source_key"];
/// These are copied to the chunks, or choose their lexemes.
const OTHER_SYNCED_COLUMNS: [&CStr; 2] = [c"language", c"metadata"];

/// The columns of `document` that the row-level trigger reads or writes.
const COLUMN_TYPES: [(&CStr, pg_sys::Oid); 15] = [
    (c"content", pg_sys::TEXTOID),
    (c"title", pg_sys::TEXTOID),
    (c"mime_type", pg_sys::TEXTOID),
    (c"language", pg_sys::TEXTOID),
    (c"source_type", pg_sys::TEXTOID),
    (c"source_key", pg_sys::TEXTOID),
    (c"metadata", pg_sys::JSONBOID),
    (c"content_hash", pg_sys::BYTEAOID),
    (c"file_hash", pg_sys::BYTEAOID),
    (c"file_bytes", pg_sys::INT8OID),
    (c"imported", pg_sys::BOOLOID),
    (c"status", pg_sys::TEXTOID),
    (c"error_message", pg_sys::TEXTOID),
    (c"updated_at", pg_sys::TIMESTAMPTZOID),
    (c"indexed_at", pg_sys::TIMESTAMPTZOID),
];

#[pg_trigger(sql = false)]
fn document_prepare<'a>(trigger: &'a PgTrigger<'a>) -> Fired<'a> {
    Ok(Some(raise(prepare(trigger))))
}

#[pg_trigger(sql = false)]
fn document_inserted<'a>(trigger: &'a PgTrigger<'a>) -> Fired<'a> {
    raise(after_statement(trigger, Event::Insert));
    Ok(None)
}

#[pg_trigger(sql = false)]
fn document_updated<'a>(trigger: &'a PgTrigger<'a>) -> Fired<'a> {
    raise(after_statement(trigger, Event::Update));
    Ok(None)
}

/// The kind of statement that wrote documents.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Event {
    Insert,
    Update,
}

/// Syncs the documents that a statement wrote.
fn after_statement(trigger: &PgTrigger, event: Event) -> Result<()> {
    queue::wake_if_idle();
    let (table, schema) = schema_of(trigger)?;
    if own_write::is_under_way(table) || touched_nothing(trigger.trigger_data()) {
        return Ok(());
    }
    let base_id = trigger.extra_args().ok().and_then(|args| args.first().cloned()).unwrap_or_default();
    if let Some(difference) = format::difference()? {
        return missed::note(uuid::parse(&base_id).map(|base| (base, None)), difference);
    }
    let id = uuid::parse(&base_id);
    let Some(base) = id.map(base::by_id).transpose()?.flatten() else {
        let hint = id.map(base::hint_for_lost).transpose()?.unwrap_or_default();
        return Err(Error::not_found(format!(
            "the knowledge base of this table ({base_id}) is not in the catalog"
        ))
        .hint(hint));
    };
    refresh::require_seen_vectors(&base)?;
    let vectors = MakeVectors::of_statement(&base);
    let follow = || {
        spi::connect(|c| {
            c.register_trigger(trigger)?;
            if event == Event::Update {
                c.run(&write::statement(include_str!("updated_metadata.sql"), &schema, &base))?;
                next::renew_changed(c, &base, &schema)?;
            }
            summary::follow(c, &base, &schema, event == Event::Update)?;
            sync::documents(&base, &schema, &vectors, |work| match event {
                Event::Insert => in_groups(trigger, work),
                Event::Update => {
                    let recut = if Versions::of_table(table).are_kept() { RECUT } else { "" };
                    let values = [("schema", schema.as_str()), ("recut", recut)];
                    sync::in_groups(c, &spi::render(include_str!("updated.sql"), &values), work)
                }
            })
        })
    };
    let owner = lookup::table_owner(table)?;
    waiting::notify_once(|| role::run_as(owner, follow).inspect(|()| vectors.count_waiting()))
}

/// Hands the documents that a statement inserted to `work` in groups.
fn in_groups(trigger: &PgTrigger, work: &mut dyn FnMut(Vec<Uuid>) -> Result<()>) -> Result<()> {
    let column = |name, expected| {
        let (column, found) = trigger::column(trigger, name);
        if found == expected { Ok(column) } else { Err(altered(name)) }
    };
    let (id, content) = (column(c"id", pg_sys::UUIDOID)?, column(c"content", pg_sys::TEXTOID)?);
    let [_, Some(inserted)] = trigger::transition_tables(trigger) else {
        return Err(Error::internal("document_inserted must be a trigger with a transition table"));
    };
    let mut groups = Groups::new(work);
    inserted.each(|row| groups.add(row.require(id)?, row.text_bytes(content)?))?;
    groups.finish()
}

/// 42804: a column of `document` that a trigger reads.
fn altered(column: &CStr) -> Error {
    Error::altered_column("document", &column.to_string_lossy())
}

/// The row about to be written with content_hash, status and times filled in, in one copy of the tuple.
fn prepare<'a>(trigger: &'a PgTrigger<'a>) -> Result<Row<'a>> {
    let (old, new) = match trigger::rows(trigger) {
        (old, Some(new)) => (old.map(DocumentRow), DocumentRow(new)),
        (Some(row), None) => (None, DocumentRow(row)),
        (None, None) => return Err(Error::internal("document_prepare must be a trigger for each row")),
    };
    let is_own_write = own_write::is_under_way(trigger::table(trigger));
    if !is_own_write && format::difference()?.is_some() {
        return new.0.with(&new.missed_columns());
    }
    new.check_types()?;
    if is_own_write {
        return new.0.with(&[]);
    }
    new.check_language(old.as_ref(), trigger)?;
    let imported = old.as_ref().is_some_and(|old| new.keeps_imported_chunks(old));
    let mut values = vec![(c"updated_at", Some(Value::now())), (c"imported", Value::new(imported))];
    let file = FileWrite::under_way();
    let keeps_versions = new.keeps_versions();
    match (&file, &old) {
        // A trigger of a user may write other documents meanwhile.
        (Some(reader), _) if keeps_versions && new.value(c"file_hash").is_some() => {
            values.extend(reader_columns(reader.as_ref()));
        }
        (None, Some(old)) if new.loses_its_file(old) => {
            values.extend([(c"file_hash", None), (c"file_bytes", None)]);
            if keeps_versions {
                values.extend(reader_columns(None));
            }
        }
        _ => {}
    }
    let is_recut = |old: &DocumentRow| keeps_versions && file.is_some() && old.is_cut_before();
    let is_kept = |old: &DocumentRow| new.keeps_chunks(old) && !is_recut(old);
    match old.filter(is_kept) {
        Some(old) => {
            values.extend(kept_columns(&old, &new));
            if keeps_versions {
                values.push((CHUNKER_VERSION, old.value(CHUNKER_VERSION)));
            }
        }
        None => {
            values.extend(fresh_columns(&new, trigger)?);
            if keeps_versions {
                // Imported chunks were not cut here.
                values.push((CHUNKER_VERSION, Value::new(CHUNKER).filter(|_| !imported)));
            }
        }
    }
    new.0.with(&values)
}

type Column<'a> = (&'static CStr, Option<Value<'a>>);

const CHUNKER_VERSION: &CStr = c"chunker_version";

/// What read the file of a document; None for a text as given.
fn reader_columns<'a>(reader: Option<&ReadBy>) -> [Column<'a>; 2] {
    let name = reader.and_then(|reader| Value::new(reader.name.as_str()));
    [(c"reader", name), (c"reader_version", reader.and_then(|reader| Value::new(reader.version)))]
}

/// The columns of a document whose chunks stay.
pub(super) fn kept_columns<'a>(old: &DocumentRow<'a>, new: &DocumentRow<'a>) -> [Column<'a>; 4] {
    let is_unchanged = old.has_status(status::PENDING) || old.same_in(new, &OTHER_SYNCED_COLUMNS);
    let indexed_at = if is_unchanged { old.value(c"indexed_at") } else { Some(Value::now()) };
    let kept = |column: &'static CStr| (column, old.value(column));
    [kept(c"content_hash"), kept(c"status"), kept(c"error_message"), (c"indexed_at", indexed_at)]
}

/// The columns of a document that is to be cut into chunks.
fn fresh_columns<'a>(new: &DocumentRow<'a>, trigger: &PgTrigger) -> Result<[Column<'a>; 4]> {
    let status = status::initial(trigger::table(trigger), trigger::row_of_table(trigger).relnamespace)?;
    Ok([
        (c"content_hash", new.value(c"content").and_then(sha256)),
        (c"status", Value::new(status)),
        (c"error_message", None),
        (c"indexed_at", (status == status::INDEXED).then(Value::now)),
    ])
}

/// The columns that mark a document as not indexed, by which `content_hash` is NULL, with their types.
const MISSED_COLUMNS: [(&CStr, pg_sys::Oid); 5] = [
    (c"content_hash", pg_sys::BYTEAOID),
    (c"status", pg_sys::TEXTOID),
    (c"error_message", pg_sys::TEXTOID),
    (c"indexed_at", pg_sys::TIMESTAMPTZOID),
    (c"updated_at", pg_sys::TIMESTAMPTZOID),
];

/// The SHA-256 of a text.
fn sha256<'a>(text: Value) -> Option<Value<'a>> {
    let digest = text.text().map(|text| Sha256::digest(text.as_bytes()));
    let bytes: &[u8] = digest.as_deref().unwrap_or_default();
    Value::new(bytes)
}

/// A row of the table `document`.
pub(super) struct DocumentRow<'a>(pub(super) Tuple<'a>);

impl<'a> DocumentRow<'a> {
    /// 42804 unless the columns have the types that the code below takes for granted.
    fn check_types(&self) -> Result<()> {
        for (name, expected) in COLUMN_TYPES {
            if !self.has_column(name, expected) {
                return Err(altered(name));
            }
        }
        Ok(())
    }

    /// What is written while library and SQL have different formats. Only columns that are there: the table may have another
    /// shape.
    fn missed_columns(&self) -> Vec<Column<'a>> {
        let there = MISSED_COLUMNS.into_iter().filter(|(name, of_type)| self.has_column(name, *of_type));
        let value = |name: &CStr| match name.to_bytes() {
            b"status" => Value::new(status::PENDING),
            b"updated_at" => Some(Value::now()),
            _ => None,
        };
        there.map(|(name, _)| (name, value(name))).collect()
    }

    pub(super) fn value(&self, name: &CStr) -> Option<Value<'a>> {
        self.0.value(name)
    }

    fn text(&self, name: &CStr) -> Option<&'a str> {
        self.value(name).and_then(Value::text)
    }

    fn has_status(&self, status: &str) -> bool {
        self.text(c"status") == Some(status)
    }

    /// Whether the source type is "code", the only one that matters to how the text is chunked.
    fn is_code(&self) -> bool {
        self.text(c"source_type") == Some("code")
    }

    fn has_column(&self, name: &CStr, of_type: pg_sys::Oid) -> bool {
        self.0.type_of(name) == of_type
    }

    /// Whether the table keeps what read and cut documents.
    fn keeps_versions(&self) -> bool {
        versions::COLUMNS.into_iter().all(|(name, of_type)| self.has_column(name, of_type))
    }

    /// Whether an earlier version of the chunker cut it.
    fn is_cut_before(&self) -> bool {
        !self.is_imported()
            && self.value(CHUNKER_VERSION).and_then(Value::integer).is_none_or(|version| version < CHUNKER)
    }

    /// Whether the text is no longer that of the file whose hash the row has.
    fn loses_its_file(&self, old: &DocumentRow) -> bool {
        self.value(c"file_hash").is_some()
            && old.same_in(self, &[c"file_hash"])
            && !old.same_in(self, &[c"content"])
    }

    /// Warns of a new language that has no text search configuration.
    fn check_language(&self, old: Option<&DocumentRow>, trigger: &PgTrigger) -> Result<()> {
        if old.is_some_and(|old| old.same_in(self, &[c"language"])) {
            return Ok(());
        }
        let namespace = trigger::row_of_table(trigger).relnamespace;
        self.text(c"language").map_or(Ok(()), |language| {
            language::check(language, trigger::table(trigger), || language::text_config_of(namespace))
        })
    }

    fn is_imported(&self) -> bool {
        self.value(c"imported").and_then(Value::boolean) == Some(true)
    }

    /// Whether chunks imported for `old` stay: they are replaced when their text changes, or when `imported` is set to false.
    fn keeps_imported_chunks(&self, old: &DocumentRow) -> bool {
        old.is_imported() && self.is_imported() && old.same_in(self, &[c"title", c"content"])
    }

    /// Whether the chunks of `old` stay. Any UPDATE indexes a row that was written while the triggers were off, and tries a
    /// failed one again. A hash that the statement writes is replaced by the right one, and so is a version of the chunker.
    fn keeps_chunks(&self, old: &DocumentRow) -> bool {
        (old.has_status(status::INDEXED) || old.has_status(status::PENDING))
            && old.value(c"content_hash").is_some()
            && old.same_in(self, &TEXT_COLUMNS)
            && old.is_code() == self.is_code()
            && old.same_in(self, &[c"content_hash", CHUNKER_VERSION])
    }

    /// Whether the chunks of `old` are those of this row.
    pub(super) fn has_text_of(&self, old: &DocumentRow) -> bool {
        old.same_in(self, &TEXT_COLUMNS)
            && old.same_in(self, &OTHER_SYNCED_COLUMNS)
            && old.same_in(self, &[c"source_type", c"id"])
    }

    /// Whether all these columns hold the same bytes. An equal toast pointer is the same.
    fn same_in(&self, other: &DocumentRow, columns: &[&CStr]) -> bool {
        columns.iter().all(|column| tuple::are_same(self.value(column), other.value(column)))
    }
}
