//! kb_attach: writes the source and the catalog, creates the triggers, and reads the existing rows.

use std::collections::HashMap;
use std::ffi::CStr;
use std::time::Duration;

use kb_rag_core::url_template;
use pgrx::{Uuid, pg_sys};
use serde_json::{Map, Value, json};

use super::attachment;
use super::backfill::{BATCH, Progress, backfill_batch};
use super::column::Use;
use super::condition;
use super::embedding;
use super::follow;
use super::keep::keep;
use super::options::{self, Given, MadeBy, Options};
use super::table::{Candidate, UsedColumn};
use crate::base::{self, KnowledgeBase, RowSecurity};
use crate::catalog;
use crate::choice::Choice;
use crate::error::{Error, Result};
use crate::lock::{LockMode, Lockable, RowPatience, TableLock};
use crate::postgres::guc;
use crate::postgres::interrupt::check_for_interrupts;
use crate::postgres::spi::{self, Access, Arg, Planning};
use crate::postgres::uuid;
use crate::queue::{self, Kind};

/// The setting, stored with the tables of a base, that lists the attached tables. Only the owner of the base writes it.
pub const SETTING: &str = "attached_tables";

/// How long to wait for documents that other transactions write and that are to get another type.
const DOCUMENTS: Duration = Duration::from_secs(5);

/// Rows that kb_attach reads itself.
const FIRST_ROWS: usize = 50;
/// The chunks that a statement embeds itself: none, or all.
const INLINE_NONE: (&CStr, &CStr) = (c"kb_rag.inline_chunks", c"0");
const INLINE_ALL: (&CStr, &CStr) = (c"kb_rag.inline_chunks", c"2147483647");

/// The default type of the documents of an attached table.
pub const DEFAULT_SOURCE_TYPE: &str = "table";

/// The arguments of kb_attach.
pub struct Request<'a> {
    pub table: pg_sys::Oid,
    pub content: &'a str,
    pub title: Option<&'a str>,
    pub metadata: Vec<String>,
    pub source_type: &'a str,
    pub row_security: RowSecurity,
    pub mime_type: Option<&'a str>,
    pub language: Option<&'a str>,
    pub more_content: Vec<String>,
    pub url: Option<&'a str>,
    pub condition: Option<&'a str>,
    /// The column with vectors.
    pub embedding: Option<&'a str>,
    /// What made them, if an earlier call recorded that; otherwise the model of the base.
    pub made_by: Option<MadeBy>,
    /// Whether all rows are read before the call returns.
    pub waits: bool,
    /// Whether a table that is attached already stays as it is.
    pub if_not_exists: bool,
    /// The names that columns had when the table was attached first, by the names that they have now. Others have one name.
    pub labels: HashMap<String, String>,
}

impl Request<'_> {
    fn label(&self, name: &str) -> String {
        self.labels.get(name).map_or(name, String::as_str).to_string()
    }

    /// The name by which a column stays known. A condition is read with the present names.
    fn label_of(&self, column: &UsedColumn) -> String {
        if column.used_as == Use::Condition { column.name.clone() } else { self.label(&column.name) }
    }

    /// The arguments that are no columns, without the condition. 22023 for a constant that is of no use.
    fn options(&self) -> Result<Options> {
        let constant = |value: &str| Given::from_value(value).constant().map(str::to_string);
        let options = Options {
            mime_type: self.mime_type.and_then(constant),
            language: self.language.and_then(constant),
            // Any other text fails where its columns are looked up.
            url: self.url.map(|url| {
                url_template::renamed(url, |name| Some(self.label(name))).unwrap_or_else(|| url.to_string())
            }),
            sets_mime_type: self.mime_type.is_some(),
            sets_language: self.language.is_some(),
            ..Options::default()
        };
        options.mime_type.as_deref().map_or(Ok(()), options::check_mime_type)?;
        options.language.as_deref().map_or(Ok(()), options::check_language)?;
        Ok(options)
    }
}

/// Attaches a table and reads its rows; returns the id of its source. A table attached before gets the new settings.
pub fn attach(knowledge_base: &str, request: &Request) -> Result<Uuid> {
    let base = base::locked_for_admin(knowledge_base)?;
    base::hold_attached(base.id)?;
    if request.if_not_exists
        && let Some(source_id) = keep(&base, request)?
    {
        if request.waits {
            read_all(&base, source_id)?;
        }
        return Ok(source_id);
    }
    let source_id = enter(&base, request, None)?;
    keep_settings(&base)?;
    if request.waits {
        read_all(&base, source_id)?;
    } else {
        read_rows(&base, source_id)?;
    }
    Ok(source_id)
}

/// Records a table and creates its triggers; its rows are still to be read. `known` is the source to use for it.
pub fn enter(base: &KnowledgeBase, request: &Request, known: Option<Uuid>) -> Result<Uuid> {
    if request.source_type.is_empty() {
        return Err(Error::invalid("source_type is empty")
            .hint(format!("Leave it out for the type \"{DEFAULT_SOURCE_TYPE}\".")));
    }
    let mut options = request.options()?;
    let is_new = options != Options::default() || request.condition.is_some() || request.embedding.is_some();
    if is_new && !follow::is_known() {
        return Err(Error::not_ready(
            "mime_type, language, url, condition and embedding need a newer version of kb_rag in this database",
        )
        .hint("Run ALTER EXTENSION kb_rag UPDATE."));
    }
    let table = Candidate::look(request.table)?;
    let known = match known {
        Some(source_id) => Some(source_id),
        None => known_source(base, request.table, &table.name)?,
    };
    let source_id = known.map_or_else(uuid::v7, Ok)?;
    let changes_policies = !follow::is_synced(base, source_id, follow::follows(request)?)?;
    lock(base, source_id, &table, changes_policies)?;
    // The table may have been altered meanwhile.
    let table = Candidate::look(request.table)?;
    follow::check(base, request, &table)?;
    let follows = follow::follows(request)?;
    if !changes_policies && !follow::is_synced(base, source_id, follows)? {
        return Err(follow::altered(&table));
    }
    let of_condition = match request.condition {
        Some(text) => condition::enter(text, &table, &mut options)?,
        None => Vec::new(),
    };
    let columns = table.columns(request, &of_condition)?;
    if let Some(name) = request.embedding {
        embedding::enter(table.column(name)?, request.made_by.as_ref(), base, &table, &mut options)?;
    }
    base::drop_attached_triggers(base, Some(source_id))?;
    for lost in base::lost_sources(base.id, request.table)? {
        base::drop_attached_triggers(base, Some(lost))?;
    }
    let [had_mime_type, had_language, had_vectors] = had(base, source_id)?;
    options.sets_mime_type |= had_mime_type;
    options.sets_language |= had_language;
    options.takes_vectors |= had_vectors;
    write_source(base, source_id, request, &options, &table, &columns)?;
    write_catalog(base, source_id, request, &options, follows, &table, &columns)?;
    create_triggers(base, source_id, &table)?;
    if changes_policies {
        base.sync_policies()?;
    }
    Ok(source_id)
}

/// Locks a table and its partitions against writers and row locks, for which reading the rows would wait. If triggers are to
/// be replaced, or policies of the base change, locks out everybody at once: to strengthen a lock later could deadlock with a
/// reader that goes on to write.
fn lock(base: &KnowledgeBase, source_id: Uuid, table: &Candidate, changes_policies: bool) -> Result<()> {
    let of_base = if changes_policies { LockMode::AccessExclusive } else { LockMode::RowExclusive };
    base.lock_with(of_base, || {
        let mut followed = base::attached_relations(base.id, Some(source_id))?;
        for lost in base::lost_sources(base.id, table.oid)? {
            followed.extend(base::attached_relations(base.id, Some(lost))?);
        }
        let mode = if followed.is_empty() { LockMode::Exclusive } else { LockMode::AccessExclusive };
        let mut locks = TableLock::for_tables(with_partitions(table.oid)?, mode);
        locks.extend(TableLock::for_tables(followed, mode));
        if changes_policies {
            locks.extend(TableLock::for_tables(base.views()?, of_base));
        }
        Ok(locks)
    })
}

/// A table and its partitions, in the order in which they are locked.
pub fn with_partitions(table: pg_sys::Oid) -> Result<Vec<pg_sys::Oid>> {
    catalog::connect(|c| {
        let args = [Arg::new(table)];
        c.query(include_str!("with_partitions.sql"), Access::Latest, Planning::Auto, &args, |row| {
            row.require(1)
        })
    })
}

/// The source that the table has, or had, in the base, so that its documents are used again.
fn known_source(base: &KnowledgeBase, table: pg_sys::Oid, name: &str) -> Result<Option<Uuid>> {
    let attached = catalog::connect(|c| {
        let args = [Arg::new(table), Arg::new(base.id)];
        c.query_one(include_str!("known_source.sql"), Access::Write, &args, |row| row.require::<Uuid>(1))
    })?;
    if attached.is_some() {
        return Ok(attached);
    }
    let sql = spi::render(include_str!("named_source.sql"), &[("schema", &base.quoted_schema())]);
    let named: Vec<Uuid> = base
        .connect(|c| c.query(&sql, Access::Write, Planning::Auto, &[Arg::new(name)], |row| row.require(1)))?;
    for source_id in named {
        // A writer of the table source may have used the id of a source of another base.
        if attachment::is_of_another(base, source_id)? {
            continue;
        }
        // Not the source of a table that had this name before it was renamed.
        if attachment::table_of(base, source_id)?.is_none_or(|of| of == table) {
            return Ok(Some(source_id));
        }
    }
    Ok(None)
}

/// Whether the table had a MIME type, a language and vectors when it was attached before, perhaps with documents that stayed when it
/// was detached.
fn had(base: &KnowledgeBase, source_id: Uuid) -> Result<[bool; 3]> {
    let sql = spi::render(include_str!("had.sql"), &[("schema", &base.quoted_schema())]);
    let found = base.connect(|c| {
        c.query_one(&sql, Access::Write, &[Arg::new(source_id)], |row| {
            Ok([row.require(1)?, row.require(2)?, row.require(3)?])
        })
    })?;
    Ok(found.unwrap_or_default())
}

/// The row of the table `source`, for information only: the catalog says which columns are read.
fn write_source(
    base: &KnowledgeBase,
    source_id: Uuid,
    request: &Request,
    given: &Options,
    table: &Candidate,
    columns: &[UsedColumn],
) -> Result<()> {
    let of = |wanted: Use| -> Vec<&str> {
        columns.iter().filter(|c| c.used_as == wanted).map(|c| c.name.as_str()).collect()
    };
    let mut options = Map::new();
    options.insert("content".to_string(), json!(request.content));
    options.insert("title".to_string(), json!(request.title));
    options.insert("metadata".to_string(), json!(of(Use::Metadata)));
    options.insert("key".to_string(), json!(of(Use::Key)));
    options.insert("source_type".to_string(), json!(request.source_type));
    for (name, value) in [
        ("mime_type", request.mime_type),
        ("language", request.language),
        ("url", request.url),
        ("condition", given.condition.as_deref()),
        ("embedding", request.embedding),
    ] {
        if value.is_some() {
            options.insert(name.to_string(), json!(value));
        }
    }
    if !request.more_content.is_empty() {
        options.insert("more_content".to_string(), json!(of(Use::MoreContent)));
    }
    let options = Value::Object(options).to_string();
    let schema = base.quoted_schema();
    let render = |template: &str| spi::render(template, &[("schema", &schema)]);
    base.connect(|c| {
        let args = [Arg::new(source_id), Arg::new(table.name.as_str()), Arg::new(options.as_str())];
        c.execute(&render(include_str!("write_source.sql")), &args)?;
        let args = || [Arg::new(source_id), Arg::new(request.source_type)];
        let lock = render(include_str!("lock_other_types.sql"));
        let patience = RowPatience::from_duration(DOCUMENTS);
        while c.query_one(&lock, Access::Write, &args(), |row| row.require::<bool>(1))? == Some(true) {
            if !patience.wait()? {
                return Err(Error::locked(format!(
                    "could not lock documents of table {}: other transactions are writing them",
                    table.name
                ))
                .hint("Run kb_attach again when these transactions have ended."));
            }
        }
        c.execute(&render(include_str!("new_type.sql")), &args())
    })?;
    Ok(())
}

fn write_catalog(
    base: &KnowledgeBase,
    source_id: Uuid,
    request: &Request,
    options: &Options,
    follows: bool,
    table: &Candidate,
    columns: &[UsedColumn],
) -> Result<()> {
    let rows = table.count_rows()?;
    let written = catalog::connect(|c| {
        let names: Vec<&str> = columns.iter().map(|c| c.name.as_str()).collect();
        let mut args = vec![
            Arg::new(source_id),
            Arg::new(base.id),
            Arg::new(table.name.as_str()),
            Arg::new(i64::from(request.table.to_u32())),
            Arg::new(columns.iter().map(|c| c.used_as.name()).collect::<Vec<_>>()),
            Arg::new(columns.iter().map(|column| request.label_of(column)).collect::<Vec<_>>()),
            Arg::new(names),
            Arg::new(columns.iter().map(|c| c.number).collect::<Vec<_>>()),
            Arg::new(request.source_type),
            Arg::new(rows),
            Arg::new(follow::stored(request.row_security, follows).name()),
        ];
        // The catalog of kb_rag 0.3 lacks the column.
        let has_types = follow::is_known();
        if has_types {
            args.push(Arg::new(request.row_security == RowSecurity::Follow));
            args.push(Arg::new(json!(options).to_string()));
        }
        c.execute(&follow::with_types(include_str!("write.sql"), has_types), &args)
    })?;
    if written == 0 {
        return Err(Error::exists(format!("source {source_id} belongs to another knowledge base"))
            .hint("Delete its row in the table source, and attach the table again."));
    }
    Ok(())
}

/// Fills in a template for the triggers of a source and runs it as the extension's owner: nobody else may execute their
/// function.
fn run_for_triggers(base: &KnowledgeBase, source_id: Uuid, template: &str, table: &str) -> Result<()> {
    let source = source_id.to_string();
    // The random part of the id: a table may be attached to several bases.
    let suffix: String = source.chars().skip(source.len() - 8).collect();
    let comment = format!("keeps the documents of this table in schema {} in sync", base.schema);
    let values = [
        ("suffix", suffix.as_str()),
        ("table", table),
        ("base", &spi::quote_literal(&base.id.to_string())),
        ("source", &spi::quote_literal(&source)),
        ("comment", &spi::quote_literal(&comment)),
    ];
    catalog::connect(|c| c.run(&spi::render(template, &values)))
}

fn create_triggers(base: &KnowledgeBase, source_id: Uuid, table: &Candidate) -> Result<()> {
    let template = if table.is_written_through_others() {
        include_str!("triggers_row.sql")
    } else {
        include_str!("triggers_statement.sql")
    };
    run_for_triggers(base, source_id, template, &table.name)?;
    watch_truncate(base, source_id, table.oid)
}

/// The table and its partitions, as far as they have no trigger for TRUNCATE yet.
fn unwatched(
    base: &KnowledgeBase,
    source_id: Uuid,
    table: pg_sys::Oid,
) -> Result<Vec<(pg_sys::Oid, String)>> {
    catalog::connect(|c| {
        let args = [Arg::new(table), Arg::new(base.id.to_string()), Arg::new(source_id.to_string())];
        c.query(include_str!("untruncated.sql"), Access::Latest, Planning::Auto, &args, |row| {
            Ok((row.require(1)?, row.require(2)?))
        })
    })
}

/// The locks that [`watch_truncate`] needs: none where there is nothing to do.
pub fn locks_to_watch(base: &KnowledgeBase, source_id: Uuid, table: pg_sys::Oid) -> Result<Vec<TableLock>> {
    let tables: Vec<pg_sys::Oid> =
        unwatched(base, source_id, table)?.into_iter().map(|(table, _)| table).collect();
    let root = (!tables.is_empty() && !tables.contains(&table)).then_some(table);
    Ok(TableLock::for_tables(root.into_iter().chain(tables), LockMode::ShareRowExclusive))
}

/// Creates the triggers for TRUNCATE on the table and on those partitions that have none yet.
pub fn watch_truncate(base: &KnowledgeBase, source_id: Uuid, table: pg_sys::Oid) -> Result<()> {
    for (_, name) in unwatched(base, source_id, table)? {
        run_for_triggers(base, source_id, include_str!("trigger_truncate.sql"), &name)?;
    }
    Ok(())
}

/// Copies the list of attached tables from the catalog into the tables of the base, and into their comment, for kb_adopt.
pub fn keep_settings(base: &KnowledgeBase) -> Result<()> {
    keep_setting(base)?;
    base.comment_settings()
}

/// The same without the comment.
pub fn keep_setting(base: &KnowledgeBase) -> Result<()> {
    let sql = follow::with_types(include_str!("kept.sql"), follow::is_known());
    let kept = catalog::connect(|c| {
        c.query_one(&sql, Access::Write, &[Arg::new(base.id)], |row| row.require::<String>(1))
    })?;
    base.store_setting(SETTING, kept.as_deref().unwrap_or("[]"))
}

/// Reads the first existing rows, and leaves the rest and the vectors to the workers: writers of the table wait for this transaction.
pub fn read_rows(base: &KnowledgeBase, source_id: Uuid) -> Result<()> {
    let read = guc::with_settings(&[INLINE_NONE], || backfill_batch(base, source_id, FIRST_ROWS))?;
    if read == Progress::All {
        return Ok(());
    }
    queue::enqueue(base.id, Kind::Backfill, &[source_id])
}

/// Reads all rows, and makes their vectors with a local model. 55P03 if other transactions keep documents locked: one of them may wait
/// for the table, which is locked here.
fn read_all(base: &KnowledgeBase, source_id: Uuid) -> Result<()> {
    guc::with_settings(&[INLINE_ALL], || {
        let mut patience = RowPatience::from_duration(DOCUMENTS);
        loop {
            check_for_interrupts();
            match backfill_batch(base, source_id, BATCH)? {
                Progress::All => return Ok(()),
                Progress::More => patience = RowPatience::from_duration(DOCUMENTS),
                Progress::Busy if patience.wait()? => {}
                Progress::Busy => {
                    return Err(Error::locked(format!(
                        "could not lock documents of knowledge base \"{}\": other transactions are writing them",
                        base.name
                    ))
                    .hint("Run kb_attach again when these transactions have ended."));
                }
            }
        }
    })
}
