//! What kb_adopt does with attached tables: DROP EXTENSION took their triggers, and what the catalogue kept.

use pgrx::{Uuid, pg_sys};
use serde_json::Value;

use super::attachment;
use super::overview::Source;
use super::write::{self, Request};
use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::role;
use crate::spi::{self, Access, Arg};
use crate::uuid;

/// The setting among the tables of a base that says which tables are attached. Only its owner writes it.
pub const SETTING: &str = "attached_tables";

/// A table that was attached.
struct Kept {
    source_id: Uuid,
    location: String,
    uses: Vec<(String, String)>,
    source_type: String,
}

impl Kept {
    fn from_json(value: &Value) -> Option<Kept> {
        let list = |name: &str| -> Option<Vec<String>> {
            value.get(name)?.as_array()?.iter().map(|v| v.as_str().map(str::to_string)).collect()
        };
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_string);
        Some(Kept {
            source_id: uuid::parse(&text("source_id")?)?,
            location: text("location")?,
            uses: list("uses")?.into_iter().zip(list("names")?).collect(),
            source_type: text("source_type")?,
        })
    }

    fn columns(&self, used_as: &str) -> Vec<String> {
        self.uses.iter().filter(|(u, _)| u == used_as).map(|(_, name)| name.clone()).collect()
    }

    /// The statement that attaches it again.
    fn statement(&self, base: &KnowledgeBase) -> String {
        let literal = |text: &str| spi::quote_literal(text);
        let content = self.columns("content").first().map(|name| literal(name)).unwrap_or_default();
        let title =
            self.columns("title").first().map_or(String::new(), |t| format!(", title => {}", literal(t)));
        let metadata = self.columns("metadata").iter().map(|m| literal(m)).collect::<Vec<_>>().join(", ");
        let metadata =
            if metadata.is_empty() { metadata } else { format!(", metadata => ARRAY[{metadata}]") };
        format!(
            "kb_attach({}, {}, content => {content}{title}{metadata}, source_type => {})",
            literal(&self.location),
            literal(&base.name),
            literal(&self.source_type)
        )
    }
}

/// Attaches again the tables that were attached when the base was last changed, where their triggers are gone. Only those
/// the caller has the rights of, and whose columns the owner of the base may read himself: he wrote which they are. For
/// others a warning says what to run.
pub fn adopt(base: &KnowledgeBase) -> Result<()> {
    let Some(kept) = base.stored_setting(SETTING)? else { return Ok(()) };
    let kept: Value = serde_json::from_str(&kept).unwrap_or_default();
    let attached = Source::of(base, Access::Write)?;
    for kept in kept.as_array().into_iter().flatten().filter_map(Kept::from_json) {
        if attached.iter().any(|source| source.source_id == kept.source_id && source.table.is_some()) {
            continue;
        }
        if let Err(why) = attach_again(base, &kept)? {
            Error::not_ready(format!("table {} is not attached again: {why}", kept.location))
                .hint(format!("Run SELECT {}.", kept.statement(base)))
                .warn("its documents stay as they are");
        }
    }
    write::keep_settings(base)
}

/// Why not, where it is not.
fn attach_again(base: &KnowledgeBase, kept: &Kept) -> Result<std::result::Result<(), &'static str>> {
    let found = role::as_catalogue_owner(|| {
        spi::connect(|c| {
            let columns: Vec<String> = kept.uses.iter().map(|(_, name)| name.clone()).collect();
            let args = [Arg::new(kept.location.as_str()), Arg::new(base.owner_role()?), Arg::new(columns)];
            c.query_one(include_str!("kept_table.sql"), Access::Write, &args, |row| {
                Ok((row.require::<pg_sys::Oid>(1)?, row.require(2)?, row.require(3)?, row.require(4)?))
            })
        })
    })?;
    let Some((table, owner, has_columns, is_readable)): Option<(_, pg_sys::Oid, bool, bool)> = found else {
        return Ok(Err("it does not exist"));
    };
    if !role::has_rights_of(owner) {
        return Ok(Err("you are not its owner"));
    }
    if !has_columns {
        return Ok(Err("it has other columns or another primary key"));
    }
    if !is_readable {
        return Ok(Err("the owner of the knowledge base may not read it"));
    }
    if attachment::is_of_another(base, kept.source_id)? {
        return Ok(Err("its source belongs to another knowledge base"));
    }
    let content = kept.columns("content");
    let Some(content) = content.first() else { return Ok(Err("its content is not known")) };
    let title = kept.columns("title");
    let request = Request {
        table,
        content,
        title: title.first().map(String::as_str),
        metadata: kept.columns("metadata"),
        source_type: &kept.source_type,
    };
    write::enter(base, &request, Some(kept.source_id))?;
    write::read_rows(base, kept.source_id)?;
    Ok(Ok(()))
}
