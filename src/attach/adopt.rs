//! Attached tables in kb_adopt: DROP EXTENSION dropped their triggers and their rows of the catalog.

use pgrx::{Uuid, pg_sys};
use serde_json::{Value, json};

use super::attachment;
use super::condition;
use super::follow;
use super::options::Options;
use super::overview::Source;
use super::table::Candidate;
use super::write::{self, Request, SETTING};
use crate::base::{self, KnowledgeBase, RowSecurity};
use crate::catalog;
use crate::choice::Choice;
use crate::error::{Error, Result};
use crate::lock::{LockMode, Lockable, TableLock};
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Arg};
use crate::postgres::subtransaction;
use crate::postgres::uuid;

/// A table that was attached.
#[derive(Clone)]
struct Kept {
    source_id: Uuid,
    location: String,
    uses: Vec<(String, String)>,
    source_type: String,
    /// As the catalog records it: refuse or ignore.
    row_security: RowSecurity,
    /// The types of the key, where row security is to be followed.
    key_types: Option<Vec<String>>,
    /// Whether it had row security when it was last looked at.
    row_secured: bool,
    labels: Vec<String>,
    options: Options,
}

impl Kept {
    /// None for anything that kb_attach does not write: the owner of the base may write anything.
    fn from_json(value: &Value) -> Option<Kept> {
        // JSON may hold a NUL, PostgreSQL's text never does.
        let text_of = |value: &Value| value.as_str().filter(|text| !text.contains('\0')).map(str::to_string);
        let list = |name: &str| -> Option<Vec<String>> {
            value.get(name)?.as_array()?.iter().map(text_of).collect()
        };
        let text = |name: &str| value.get(name).and_then(text_of);
        Some(Kept {
            source_id: uuid::parse(&text("source_id")?)?,
            location: text("location")?,
            uses: list("uses")?.into_iter().zip(list("names")?).collect(),
            source_type: text("source_type")?,
            row_security: RowSecurity::from_name(&text("row_security")?).ok()?,
            key_types: list("key_types"),
            row_secured: value.get("row_secured")?.as_bool()?,
            labels: list("labels")?,
            options: match value.get("options") {
                Some(options) => serde_json::from_value(options.clone()).ok()?,
                None => Options::default(),
            },
        })
    }

    /// Whether policies of the base follow its row security.
    fn follows(&self) -> bool {
        self.row_security == RowSecurity::Ignore && self.key_types.is_some()
    }

    /// What kb_attach was told.
    fn told(&self) -> RowSecurity {
        if self.key_types.is_some() { RowSecurity::Follow } else { self.row_security }
    }

    fn columns(&self, used_as: &str) -> Vec<String> {
        self.uses.iter().filter(|(u, _)| u == used_as).map(|(_, name)| name.clone()).collect()
    }

    /// An argument that is a constant or a column in braces.
    fn given(&self, name: &str, constant: &Option<String>) -> Option<String> {
        let column = || self.columns(name).first().map(|column| format!("{{{column}}}"));
        constant.clone().or_else(column)
    }

    /// The same with those columns that the table still has.
    fn without_dropped(&self, table: &Candidate) -> Kept {
        let is_there = |((_, name), _): &(&(String, String), &String)| table.has_column(name);
        let (uses, labels) = self
            .uses
            .iter()
            .zip(&self.labels)
            .filter(is_there)
            .map(|(column, label)| (column.clone(), label.clone()))
            .unzip();
        Kept { uses, labels, ..self.clone() }
    }

    /// The template of the URL, with the names that its columns had last.
    fn url(&self) -> Option<String> {
        let of_url = || self.uses.iter().zip(&self.labels).filter(|((used_as, _), _)| used_as == "url");
        self.options
            .url_now(|label| of_url().find(|(_, known)| *known == label).map(|((_, name), _)| name.clone()))
    }

    /// The condition, with the names that its columns had last.
    fn condition_now(&self, table: &Candidate) -> Result<Option<String>> {
        let Some(text) = &self.options.condition else { return Ok(None) };
        let of_condition =
            self.uses.iter().zip(&self.labels).filter(|((used_as, _), _)| used_as == "condition");
        let names: Vec<(String, String)> =
            of_condition.map(|((_, name), label)| (label.clone(), name.clone())).collect();
        subtransaction::try_read(|| condition::renamed(text, table, &names)).map(Some)
    }

    /// Whether a call of kb_attach can be written that names the columns as the table has them.
    fn is_renamed(&self) -> bool {
        let mut columns = self.uses.iter().zip(&self.labels);
        self.options.condition.is_some()
            && columns.any(|((used_as, name), label)| used_as == "condition" && name != label)
    }

    /// The name of the content column; empty if unknown.
    fn content(&self) -> String {
        self.columns("content").into_iter().next().unwrap_or_default()
    }

    /// Enters a table that is not attached again, without triggers, if row security protects its rows: the base stays closed, or, if
    /// it is followed, its documents hidden.
    fn keep(&self, base: &KnowledgeBase) -> Result<()> {
        let (uses, names): (Vec<String>, Vec<String>) = self.uses.iter().cloned().unzip();
        let mut args = vec![
            Arg::new(self.source_id),
            Arg::new(base.id),
            Arg::new(self.location.as_str()),
            Arg::new(uses),
            Arg::new(self.labels.clone()),
            Arg::new(names),
            Arg::new(self.source_type.as_str()),
            Arg::new(self.row_security.name()),
            Arg::new(self.row_secured),
        ];
        let is_known = follow::is_known();
        if is_known {
            // No key has no column: its documents are hidden until it is attached again, whatever table comes back.
            let key_types = if self.follows() { Some(Vec::new()) } else { self.key_types.clone() };
            args.push(Arg::new(key_types));
            args.push(Arg::new(json!(self.options).to_string()));
        }
        let values: [(&str, &str); 5] = if is_known {
            [
                ("key_types", ", key_types"),
                ("types", ", $10"),
                ("options_column", ", options"),
                ("options", ", $11::jsonb"),
                ("follows", "$8 = 'ignore' AND $10 IS NOT NULL"),
            ]
        } else {
            [("key_types", ""), ("types", ""), ("options_column", ""), ("options", ""), ("follows", "false")]
        };
        let sql = spi::render(include_str!("keep.sql"), &values);
        catalog::connect(|c| c.execute(&sql, &args)).map(drop)
    }

    /// The statement that attaches it again.
    fn statement(&self, base: &KnowledgeBase) -> String {
        let literal = |text: &str| spi::quote_literal(text);
        let content = literal(&self.content());
        let title =
            self.columns("title").first().map_or(String::new(), |t| format!(", title => {}", literal(t)));
        let array = |name: &str| {
            let columns = self.columns(name).iter().map(|c| literal(c)).collect::<Vec<_>>().join(", ");
            if columns.is_empty() { columns } else { format!(", {name} => ARRAY[{columns}]") }
        };
        let text = |name: &str, value: Option<String>| {
            value.map_or(String::new(), |value| format!(", {name} => {}", literal(&value)))
        };
        let more = [
            array("metadata"),
            text("mime_type", self.given("mime_type", &self.options.mime_type)),
            text("language", self.given("language", &self.options.language)),
            array("more_content"),
            text("url", self.url()),
            text("condition", self.options.condition.clone()),
            text("embedding", self.columns("embedding").into_iter().next()),
        ]
        .concat();
        let row_security = match self.told() {
            RowSecurity::DEFAULT => String::new(),
            told => format!(", row_security => '{}'", told.name()),
        };
        format!(
            "kb_attach({}, {}, content => {content}{title}{more}, source_type => {}{row_security})",
            literal(&self.location),
            literal(&base.name),
            literal(&self.source_type)
        )
    }
}

/// Attaches again the tables that were attached when the base was last changed and have lost their triggers. The caller must
/// have the privileges of the table's owner. The owner of the base recorded the columns, so it must be able to read them. For
/// other tables a warning names the reason and the fix.
pub fn adopt(base: &KnowledgeBase) -> Result<()> {
    let Some(kept) = base.stored_setting(SETTING)? else { return Ok(()) };
    let kept: Value = serde_json::from_str(&kept).unwrap_or_default();
    let kept: Option<Vec<Kept>> =
        kept.as_array().and_then(|tables| tables.iter().map(Kept::from_json).collect());
    let Some(kept) = kept else {
        Error::not_ready(format!("the setting {SETTING} of knowledge base \"{}\" cannot be read", base.name))
            .hint("Attach its tables again with kb_attach.")
            .warn("no table is attached again");
        return write::keep_settings(base);
    };
    let attached = Source::for_base(base, Access::Write)?;
    let mut found = Vec::new();
    for kept in kept {
        if attached.iter().any(|source| source.source_id == kept.source_id && source.table.is_some()) {
            continue;
        }
        let table = find_again(base, &kept)?;
        found.push((kept, table));
    }
    // All tables at once: no table may be waited for while another is locked.
    let changes_policies = found.iter().any(|(kept, _)| kept.follows());
    let of_base = if changes_policies { LockMode::AccessExclusive } else { LockMode::RowExclusive };
    base.lock_with(of_base, || {
        let mut locks =
            TableLock::for_tables(base.views()?.into_iter().filter(|_| changes_policies), of_base);
        for table in found.iter().filter_map(|(_, table)| table.as_ref().ok()) {
            locks.extend(TableLock::for_tables(write::with_partitions(*table)?, LockMode::Exclusive));
        }
        Ok(locks)
    })?;
    for (kept, _) in found {
        let location = printable(&kept.location);
        let error = match subtransaction::attempt(|| attach_again(base, &kept)) {
            Ok(Ok(())) => continue,
            Ok(Err(why)) => Error::not_ready(format!("table {location} is not attached again: {why}"))
                .hint(advice(base, &kept)?),
            Err(error) if error.ends_work() || error.is_conflict() || error.is_lock() => return Err(error),
            Err(error) => Error::not_ready(format!(
                "table {location} is not attached again: {}",
                printable(&error.with_hint())
            )),
        };
        error.warn("its documents stay as they are");
        kept.keep(base)?;
    }
    if changes_policies {
        base.sync_policies()?;
    }
    write::keep_settings(base)
}

/// The hint for a table that is not attached again. The owner of the base recorded its name and may be unable to read it: if
/// a role with more privileges ran a ready-made statement, that table would be copied into the base. So the hint contains a
/// statement only if the caller has no privilege that the owner of the base lacks.
fn advice(base: &KnowledgeBase, kept: &Kept) -> Result<String> {
    let is_safe = role::has_privileges(base.owner_role()?, role::current_role());
    Ok(if is_safe && !kept.content().is_empty() && !kept.is_renamed() {
        format!("Run SELECT {}.", kept.statement(base))
    } else {
        "The owner of the knowledge base recorded this attachment. The owner of the table has to check it and attach the \
         table again with kb_attach."
            .to_string()
    })
}

/// A text written by another role, without control characters: they could disguise the message.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// The table to attach, or why it is not attached.
fn find_again(base: &KnowledgeBase, kept: &Kept) -> Result<std::result::Result<pg_sys::Oid, &'static str>> {
    let found = catalog::connect(|c| {
        let columns: Vec<String> = kept.uses.iter().map(|(_, name)| name.clone()).collect();
        let needed: Vec<String> =
            ["content", "mime_type", "key", "condition"].iter().flat_map(|of| kept.columns(of)).collect();
        let args = [
            Arg::new(kept.location.as_str()),
            Arg::new(base.owner_role()?),
            Arg::new(columns),
            Arg::new(needed),
        ];
        c.query_one(include_str!("kept_table.sql"), Access::Write, &args, |row| {
            Ok((row.require::<pg_sys::Oid>(1)?, row.require(2)?, row.require(3)?, row.require(4)?))
        })
    })?;
    let Some((table, owner, has_columns, is_readable)): Option<(_, pg_sys::Oid, bool, bool)> = found else {
        return Ok(Err("it does not exist"));
    };
    if !role::has_privileges_of(owner) {
        return Ok(Err("you are not its owner"));
    }
    if !has_columns {
        return Ok(Err("its columns or its primary key have changed"));
    }
    if !is_readable {
        return Ok(Err("the owner of the knowledge base is not permitted to read it"));
    }
    if attachment::is_of_another(base, kept.source_id)? {
        return Ok(Err("its source belongs to another knowledge base"));
    }
    if kept.row_security == RowSecurity::Refuse && !base::with_row_security(table)?.is_empty() {
        return Ok(Err("it has row security"));
    }
    if kept.follows() && base::with_row_security(table)?.is_empty() {
        return Ok(Err("it has no row security any more"));
    }
    if kept.follows() && !follow::may_follow(base, owner)? {
        return Ok(Err("its row security applies to the owner of the knowledge base"));
    }
    if kept.content().is_empty() {
        return Ok(Err("its content column is not recorded"));
    }
    // Its functions are executed as the owner of the table, and the owner of the base may have written it.
    if kept.options.condition.is_some() && !role::has_privileges(base.owner_role()?, owner) {
        return Ok(Err("its condition was recorded by a role without the privileges of its owner"));
    }
    Ok(Ok(table))
}

/// Attaches a table, or returns why not: it may have been altered before it was locked.
fn attach_again(base: &KnowledgeBase, kept: &Kept) -> Result<std::result::Result<(), &'static str>> {
    let table = match find_again(base, kept)? {
        Ok(table) => table,
        Err(why) => return Ok(Err(why)),
    };
    let candidate = Candidate::look(table)?;
    let kept = &kept.without_dropped(&candidate);
    let condition = match kept.condition_now(&candidate) {
        Ok(condition) => condition,
        Err(error) if error.ends_work() || error.is_conflict() => return Err(error),
        Err(_) => return Ok(Err("its condition cannot be used any more")),
    };
    let content = kept.content();
    let title = kept.columns("title");
    let mime_type = kept.given("mime_type", &kept.options.mime_type);
    let language = kept.given("language", &kept.options.language);
    let url = kept.url();
    let embedding = kept.columns("embedding");
    let request = Request {
        table,
        content: &content,
        title: title.first().map(String::as_str),
        metadata: kept.columns("metadata"),
        source_type: &kept.source_type,
        row_security: kept.told(),
        mime_type: mime_type.as_deref(),
        language: language.as_deref(),
        more_content: kept.columns("more_content"),
        url: url.as_deref(),
        condition: condition.as_deref(),
        embedding: embedding.first().map(String::as_str),
        made_by: kept.options.embedding.clone(),
        waits: false,
        if_not_exists: false,
        labels: kept.uses.iter().map(|(_, name)| name.clone()).zip(kept.labels.iter().cloned()).collect(),
    };
    write::enter(base, &request, Some(kept.source_id))?;
    write::read_rows(base, kept.source_id)?;
    Ok(Ok(()))
}
