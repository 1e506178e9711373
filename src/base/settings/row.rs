//! Reading a base from its row of the catalog.

use std::cell::Cell;
use std::str::FromStr;

use kb_rag_core::model_name::{EmbeddingSpace, ModelName};
use pgrx::prelude::*;

use super::fields::Source;
use super::lexemes;
use crate::base::{KnowledgeBase, Settings, settings};
use crate::chunking::ChunkSettings;
use crate::error::{Error, Result};
use crate::postgres::spi::Row;

impl KnowledgeBase {
    /// A damaged row must not keep other bases from being read: values that cannot be read are empty.
    pub(in crate::base) fn from_row(row: &Row) -> Result<KnowledgeBase> {
        let mut row = Damaged { row, damage: None };
        let settings = Settings::read(&mut row, Settings::default());
        let schema: String = row.read("schema");
        let next = row.optional::<String>("next_model").zip(row.optional("next_dimensions"));
        let next_cut = row.next_cut();
        let mut base = KnowledgeBase {
            id: row.row.require_named("id")?,
            name: row.read("name"),
            slug: row.read("slug"),
            recorded_schema: schema.clone(),
            schema,
            description: row.optional("description"),
            owner: row.read("owner"),
            settings,
            created_at: row.row.named("created_at")?.unwrap_or_else(TimestampWithTimeZone::negative_infinity),
            model_variants: row.read("model_variants"),
            next: next.map(|(model, dimensions)| EmbeddingSpace { model: ModelName::new(model), dimensions }),
            next_cut,
            agent_filter: row.optional("agent_filter"),
            follows_tables: row.row.require_named("follows_tables")?,
            follows_rows: row.row.require_named("follows_rows")?,
            open_to: Cell::new(None),
            namespace: None,
            is_distributed: false,
            damage: row.damage,
        };
        if base.damage.is_none() {
            base.damage = base.settings.check_stored().err().map(|error| error.to_string());
        }
        if let Some(cut) = base.next_cut.filter(|_| base.damage.is_none()) {
            base.damage = cut.check_stored().err().map(|error| error.to_string());
        }
        if let Some(next) =
            base.next.as_ref().filter(|next| settings::check_dimensions(next.dimensions).is_err())
        {
            base.damage.get_or_insert_with(|| format!("next_dimensions {} is out of range", next.dimensions));
        }
        Ok(base)
    }
}

/// A row of the catalog, read as far as it can be.
struct Damaged<'a> {
    row: &'a Row<'a>,
    /// The first error.
    damage: Option<String>,
}

impl Damaged<'_> {
    fn noted<T>(&mut self, value: Result<T>) -> Option<T> {
        value.map_err(|error| self.note(error)).ok()
    }

    /// The value of a column; the empty value where it cannot be read.
    fn read<T: FromDatum + IntoDatum + Default>(&mut self, column: &str) -> T {
        let value = self.row.require_named(column);
        self.noted(value).unwrap_or_default()
    }

    /// How texts are cut after the pending change, if it decides about that.
    fn next_cut(&mut self) -> Option<ChunkSettings> {
        let size = self.optional("next_chunk_size")?;
        Some(ChunkSettings {
            size,
            overlap: self.read("next_chunk_overlap"),
            unit: self.choice("next_chunk_unit").unwrap_or(ChunkSettings::default().unit),
            strategy: self.choice("next_chunk_strategy").unwrap_or(ChunkSettings::default().strategy),
        })
    }

    fn optional<T: FromDatum + IntoDatum>(&mut self, column: &str) -> Option<T> {
        let value = self.row.named(column);
        self.noted(value).flatten()
    }
}

impl Source for Damaged<'_> {
    fn value<T: FromDatum + IntoDatum + FromStr>(&mut self, name: &str) -> Option<T> {
        let value = self.row.require_named(name);
        self.noted(value)
    }

    fn nullable<T: FromDatum + IntoDatum + FromStr>(&mut self, name: &str) -> Option<T> {
        self.optional(name)
    }

    fn since<T: FromDatum + IntoDatum + FromStr>(&mut self, name: &str) -> Option<T> {
        lexemes::are_recorded().then(|| self.value(name)).flatten()
    }

    fn nullable_since<T: FromDatum + IntoDatum + FromStr>(&mut self, name: &str) -> Option<T> {
        lexemes::are_recorded().then(|| self.nullable(name)).flatten()
    }

    fn note(&mut self, error: Error) {
        self.damage.get_or_insert_with(|| error.to_string());
    }
}
