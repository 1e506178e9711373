//! The copy of a base's settings that is stored with its tables, as rows and in a comment: kb_adopt reads it if the catalog is lost.

use std::collections::{BTreeMap, HashMap};
use std::str::FromStr;

use kb_rag_core::analyzer::{Analyzer, LexemeFormat};
use kb_rag_core::model_name::EmbeddingSpace;
use pgrx::Uuid;
use pgrx::prelude::*;
use serde_json::json;

use super::fields::Source;
use crate::base::create::objects;
use crate::base::{KnowledgeBase, Settings};
use crate::catalog;
use crate::error::{Error, Result};
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};

/// Writes the settings as the catalog has them. Creates the table if its owner dropped it.
pub fn write(base: &KnowledgeBase) -> Result<()> {
    let settings = catalog::connect(|c| {
        c.query_one(include_str!("settings_of.sql"), Access::Write, &[Arg::new(base.id)], |row| {
            row.require::<String>(1)
        })
    })?;
    let schema = base.quoted_schema();
    let is_there = base.own_table(c"setting")?.is_some();
    base.connect(|c| {
        if !is_there {
            objects::create_setting(c, &schema)?;
        }
        let sql = spi::render(include_str!("write_setting.sql"), &[("schema", &schema)]);
        c.execute(&sql, &[Arg::new(settings)])
    })?;
    comment(base)
}

/// Writes one setting that the catalog does not have, without the comment.
pub fn write_one(base: &KnowledgeBase, name: &str, value: &str) -> Result<()> {
    if base.own_table(c"setting")?.is_none() {
        write(base)?;
    }
    let sql = spi::render(include_str!("store_setting.sql"), &[("schema", &base.quoted_schema())]);
    base.connect(|c| c.execute(&sql, &[Arg::new(name), Arg::new(value)]))?;
    Ok(())
}

/// The beginning of the comment on the table of settings; the settings follow as JSON.
const ABOUT: &str = "the settings of the base, for kb_adopt; a dump of the schema alone has this copy: ";

/// Writes all settings into the comment on their table. Not in a trigger: a comment is a DDL command, which event triggers may refuse.
pub fn comment(base: &KnowledgeBase) -> Result<()> {
    let schema = base.quoted_schema();
    base.connect(|c| {
        let settings: BTreeMap<String, String> = rows(c, &schema)?.into_iter().collect();
        let text = format!("{ABOUT}{}", json!(settings));
        if read_comment(c, &schema)?.as_deref() == Some(text.as_str()) {
            return Ok(());
        }
        let values = [("schema", schema.as_str()), ("comment", &spi::quote_literal(&text))];
        c.run(&spi::render(include_str!("comment_setting.sql"), &values))
    })
}

fn read_comment(c: &Connection, schema: &str) -> Result<Option<String>> {
    let table = spi::quote_literal(&format!("{schema}.setting"));
    let sql = spi::render(include_str!("read_comment.sql"), &[("table", &table)]);
    Ok(c.query_one(&sql, Access::Write, &[], |row| row.get::<String>(1))?.flatten())
}

/// One setting of a schema, as stored. Run as the owner of the tables.
pub fn read_one(schema: &str, name: &str) -> Result<Option<String>> {
    Ok(read_all(schema)?.remove(name))
}

fn rows(c: &Connection, schema: &str) -> Result<HashMap<String, String>> {
    let sql = spi::render(include_str!("read_setting.sql"), &[("schema", schema)]);
    let rows = c.query(&sql, Access::Write, Planning::Auto, &[], |row| {
        Ok((row.require::<String>(1)?, row.get::<String>(2)?))
    })?;
    Ok(rows.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
}

fn read_all(schema: &str) -> Result<HashMap<String, String>> {
    spi::connect(|c| rows(c, schema))
}

/// Makes the rows again from the comment if there are none: a dump of the schema alone has none. Run as the owner of the tables.
pub fn restore(schema: &str) -> Result<()> {
    spi::connect(|c| {
        if !rows(c, schema)?.is_empty() {
            return Ok(());
        }
        let comment = read_comment(c, schema)?.unwrap_or_default();
        let settings = comment.strip_prefix(ABOUT).and_then(|json| serde_json::from_str(json).ok());
        let settings: BTreeMap<String, String> = settings.unwrap_or_default();
        let sql = spi::render(include_str!("store_setting.sql"), &[("schema", schema)]);
        // JSON may hold a NUL, PostgreSQL's text never does.
        for (name, value) in
            settings.iter().filter(|(name, value)| !(name.contains('\0') || value.contains('\0')))
        {
            c.execute(&sql, &[Arg::new(name.as_str()), Arg::new(value.as_str())])?;
        }
        Ok(())
    })
}

/// The stored settings and names of a base.
pub struct Stored {
    pub id: Option<Uuid>,
    pub name: Option<String>,
    pub description: Option<String>,
    pub variants: Vec<String>,
    settings: Settings,
    /// The first setting whose value is not known.
    unknown: Option<Error>,
}

impl Stored {
    /// Whether the model is recorded.
    pub fn names_model(&self) -> bool {
        !self.settings.space.model.as_str().is_empty()
    }

    /// Whether the stored settings are these.
    pub fn is_of(&self, settings: &Settings) -> bool {
        self.unknown.is_none() && self.settings == *settings
    }

    /// The settings. 22023 for a value that is not known.
    pub fn settings(&self) -> Result<&Settings> {
        self.unknown.clone().map_or(Ok(&self.settings), Err)
    }
}

/// Rows of the table `setting`.
struct Values {
    rows: HashMap<String, String>,
    /// The first number that cannot be read.
    unreadable: Option<Error>,
    /// The first value that is not known.
    unknown: Option<Error>,
}

impl Source for Values {
    fn value<T: FromDatum + IntoDatum + FromStr>(&mut self, name: &str) -> Option<T> {
        let value = self.rows.get(name)?;
        let parsed = value.parse().ok();
        if parsed.is_none() {
            self.unreadable.get_or_insert_with(|| {
                Error::invalid(format!("invalid value for setting \"{name}\": \"{value}\""))
                    .hint("Correct or delete its row in the table setting of the schema.")
            });
        }
        parsed
    }

    fn nullable<T: FromDatum + IntoDatum + FromStr>(&mut self, name: &str) -> Option<T> {
        self.value(name)
    }

    fn since<T: FromDatum + IntoDatum + FromStr>(&mut self, name: &str) -> Option<T> {
        self.value(name)
    }

    fn nullable_since<T: FromDatum + IntoDatum + FromStr>(&mut self, name: &str) -> Option<T> {
        self.value(name)
    }

    fn note(&mut self, error: Error) {
        self.unknown.get_or_insert(error);
    }
}

/// The format of the lexemes of the newest chunk: kb_rag 0.3.0 stored none, and the owner may have lost what was stored.
fn format_of_chunks(schema: &str) -> Result<Option<LexemeFormat>> {
    let sql = spi::render(include_str!("newest_analyzer.sql"), &[("schema", schema)]);
    let newest = spi::connect(|c| c.query_one(&sql, Access::Write, &[], |row| row.require::<String>(1)))?;
    Ok(newest.and_then(|name| Analyzer::parse(&name).map(|analyzer| analyzer.format)))
}

/// Reads the settings that are stored in a schema. Missing ones get the defaults of a new base, but a missing model is empty
/// and missing dimensions are 0. Run as the owner of the tables.
pub fn read(schema: &str, is_there: bool) -> Result<Stored> {
    let mut rows = if is_there { read_all(schema)? } else { HashMap::new() };
    if !rows.contains_key("lexeme_format")
        && let Some(format) = format_of_chunks(schema)?
    {
        rows.insert("lexeme_format".to_string(), format.number().to_string());
    }
    let mut values = Values { rows, unreadable: None, unknown: None };
    let otherwise = Settings { space: EmbeddingSpace::default(), ..Settings::session_defaults()? };
    let settings = Settings::read(&mut values, otherwise);
    let Values { mut rows, unreadable, unknown } = values;
    if let Some(error) = unreadable {
        return Err(error);
    }
    Ok(Stored {
        id: rows.get("id").and_then(|id| crate::postgres::uuid::parse(id)),
        name: rows.remove("name"),
        description: rows.remove("description"),
        variants: rows
            .get("model_variants")
            .and_then(|list| serde_json::from_str::<Vec<String>>(list).ok())
            .unwrap_or_default()
            .into_iter()
            // JSON may hold a NUL, PostgreSQL's text never does.
            .filter(|variant| !variant.contains('\0'))
            .collect(),
        settings,
        unknown,
    })
}
