//! The copy of a base's settings that is stored with its tables: kb_adopt reads it if the catalogue is lost.

use std::collections::HashMap;

use pgrx::Uuid;

use super::{KnowledgeBase, Ranking, Settings, objects};
use crate::catalogue;
use crate::error::{Error, Result};
use crate::spi::{self, Access, Arg, Planning};

/// Writes the settings as the catalogue has them. If an older version made the base without the table, creates it.
pub fn write(base: &KnowledgeBase) -> Result<()> {
    let settings = catalogue::connect(|c| {
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
    Ok(())
}

/// Writes one setting that the catalogue does not have.
pub fn write_one(base: &KnowledgeBase, name: &str, value: &str) -> Result<()> {
    if base.own_table(c"setting")?.is_none() {
        write(base)?;
    }
    let sql = spi::render(include_str!("store_setting.sql"), &[("schema", &base.quoted_schema())]);
    base.connect(|c| c.execute(&sql, &[Arg::new(name), Arg::new(value)]))?;
    Ok(())
}

/// One setting of a schema, as stored. Run as the owner of the tables.
pub fn read_one(schema: &str, name: &str) -> Result<Option<String>> {
    Ok(read_all(schema)?.remove(name))
}

fn read_all(schema: &str) -> Result<HashMap<String, String>> {
    let sql = spi::render(include_str!("read_setting.sql"), &[("schema", schema)]);
    let rows = spi::connect(|c| {
        c.query(&sql, Access::Write, Planning::Auto, &[], |row| {
            Ok((row.require::<String>(1)?, row.get::<String>(2)?))
        })
    })?;
    Ok(rows.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
}

/// The stored settings and names of a base.
pub struct Stored {
    pub id: Option<Uuid>,
    pub name: Option<String>,
    pub description: Option<String>,
    pub variants: Vec<String>,
    pub settings: Settings,
}

/// Reads the settings that are stored in a schema. Missing ones get the defaults of a new base, but a missing model is empty
/// and missing dimensions are 0. Run as the owner of the tables.
pub fn read(schema: &str, is_there: bool) -> Result<Stored> {
    let values = if is_there { read_all(schema)? } else { HashMap::new() };
    let standard = Settings::standard()?;
    let text = |name: &str, otherwise: &str| values.get(name).map_or(otherwise, String::as_str).to_string();
    Ok(Stored {
        id: values.get("id").and_then(|id| crate::uuid::parse(id)),
        name: values.get("name").cloned(),
        description: values.get("description").cloned(),
        variants: values
            .get("model_variants")
            .and_then(|list| serde_json::from_str::<Vec<String>>(list).ok())
            .unwrap_or_default()
            .into_iter()
            // JSON may hold a NUL, PostgreSQL's text never does.
            .filter(|variant| !variant.contains('\0'))
            .collect(),
        settings: Settings {
            model: text("model", ""),
            dimensions: number(&values, "dimensions", 0)?,
            chunk_size: number(&values, "chunk_size", standard.chunk_size)?,
            chunk_overlap: number(&values, "chunk_overlap", standard.chunk_overlap)?,
            chunk_unit: text("chunk_unit", &standard.chunk_unit),
            chunk_strategy: text("chunk_strategy", &standard.chunk_strategy),
            text_config: text("text_config", &standard.text_config),
            ranker: text("ranker", &standard.ranker),
            index_method: text("index_method", &standard.index_method),
            embed: text("embed", &standard.embed),
            ranking: Ranking {
                bm25_k1: number(&values, "bm25_k1", standard.ranking.bm25_k1)?,
                bm25_b: number(&values, "bm25_b", standard.ranking.bm25_b)?,
                title_weight: number(&values, "title_weight", standard.ranking.title_weight)?,
                heading_weight: number(&values, "heading_weight", standard.ranking.heading_weight)?,
            },
        },
    })
}

fn number<T: std::str::FromStr>(values: &HashMap<String, String>, name: &str, otherwise: T) -> Result<T> {
    values.get(name).map_or(Ok(otherwise), |value| {
        value.parse().map_err(|_| {
            Error::invalid(format!("invalid value for setting \"{name}\": \"{value}\""))
                .hint("Correct or delete its row in the table setting of the schema.")
        })
    })
}
