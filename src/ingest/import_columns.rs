//! The column mapping of kb_import.

use pgrx::pg_sys;
use serde_json::Value;

use crate::error::{Error, Result};
use crate::postgres::lookup;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};
use crate::postgres::vector::Pgvector;

/// The uses of a column. The first two are required.
const NAMES: [&str; 12] = [
    "content",
    "embedding",
    "document",
    "ordinal",
    "title",
    "heading",
    "language",
    "metadata",
    "source_type",
    "abstract",
    "overview",
    "created_at",
];

/// The type that a column is cast to; None if its values are only sorted by.
fn type_of(used_as: &str, pgvector: &Pgvector) -> Option<pg_sys::Oid> {
    match used_as {
        "embedding" => Some(pgvector.vector),
        "metadata" => Some(pg_sys::JSONBOID),
        "created_at" => Some(pg_sys::TIMESTAMPTZOID),
        "ordinal" => None,
        _ => Some(pg_sys::TEXTOID),
    }
}

/// Names of columns, in the order of `NAMES`.
pub struct Columns([Option<String>; NAMES.len()]);

impl Columns {
    /// Reads a JSON object of the form `{"content": "column", …}`. 22023 for anything else.
    pub fn from_json(mapping: &Value) -> Result<Columns> {
        let known = format!(
            "Use an object like {{\"content\": \"body\", \"embedding\": \"vec\"}}; known are {}.",
            NAMES.join(", ")
        );
        let object =
            mapping.as_object().ok_or_else(|| Error::invalid("mapping is not a JSON object").hint(&known))?;
        let mut columns: [Option<String>; NAMES.len()] = Default::default();
        for (name, value) in object {
            let place = NAMES.iter().position(|known| known == name).and_then(|index| columns.get_mut(index));
            let place = place.ok_or_else(|| {
                Error::invalid(format!("mapping has an unknown key \"{name}\"")).hint(&known)
            })?;
            *place = match value {
                Value::Null => None,
                Value::String(column) => Some(column.clone()),
                _ => {
                    return Err(Error::invalid(format!("mapping of \"{name}\" is not the name of a column"))
                        .hint(&known));
                }
            };
        }
        let columns = Columns(columns);
        for name in ["content", "embedding"] {
            if columns.get(name).is_none() {
                return Err(
                    Error::invalid(format!("mapping does not name the column of the {name}")).hint(&known)
                );
            }
        }
        Ok(columns)
    }

    fn get(&self, name: &str) -> Option<&str> {
        let index = NAMES.iter().position(|known| *known == name)?;
        self.0.get(index)?.as_deref()
    }

    /// 42703 unless the table `source` has the columns, 42804 for one that cannot be cast.
    pub fn check(&self, c: &Connection, source: &str, pgvector: &Pgvector) -> Result<()> {
        let sql = include_str!("columns_of_source.sql");
        let columns = c.query(sql, Access::Read, Planning::Auto, &[Arg::new(source)], |row| {
            Ok((row.require::<String>(1)?, row.require::<bool>(2)?, row.require::<pg_sys::Oid>(3)?))
        })?;
        for (used_as, name) in NAMES.iter().zip(&self.0) {
            let Some(name) = name else { continue };
            let Some((_, _, found)) = columns.iter().find(|(known, _, _)| known == name) else {
                let own: Vec<&str> = columns
                    .iter()
                    .filter(|(_, is_own, _)| *is_own)
                    .map(|(name, _, _)| name.as_str())
                    .collect();
                return Err(Error::missing_column(format!("table {source} has no column \"{name}\""))
                    .hint(format!("It has {}.", own.join(", "))));
            };
            let Some(wanted) = type_of(used_as, pgvector) else { continue };
            if !lookup::can_cast(*found, wanted) {
                let [found, wanted] = [*found, wanted].map(lookup::type_name);
                return Err(Error::wrong_type(format!(
                    "column \"{name}\" of type {found} cannot be cast to {wanted}"
                ))
                .hint(format!(
                    "It is mapped to \"{used_as}\". Import a view that casts it, or map another column."
                )));
            }
        }
        Ok(())
    }

    /// The statement that reads the table `source`, chunks of a document next to each other and in their order.
    pub fn select(&self, source: &str, pgvector: &Pgvector) -> String {
        let column = |name: &str| self.get(name).map(|column| format!("s.{}", spi::quote_identifier(column)));
        let expression =
            |name: &str, cast: &str| column(name).map_or(format!("NULL::{cast}"), |c| format!("{c}::{cast}"));
        let order: Vec<String> =
            [column("document").map(|c| format!("{c}::text COLLATE \"C\"")), column("ordinal")]
                .into_iter()
                .flatten()
                .collect();
        let order = if order.is_empty() { String::new() } else { format!("ORDER BY {}", order.join(", ")) };
        spi::render(
            include_str!("import_rows.sql"),
            &[
                ("document", &expression("document", "text")),
                ("title", &expression("title", "text")),
                ("heading", &expression("heading", "text")),
                ("content", &expression("content", "text")),
                ("language", &expression("language", "text")),
                ("metadata", &expression("metadata", "jsonb::text")),
                ("embedding", &expression("embedding", &format!("{}.vector", pgvector.schema))),
                ("source_type", &expression("source_type", "text")),
                ("abstract", &expression("abstract", "text")),
                ("overview", &expression("overview", "text")),
                ("created_at", &expression("created_at", "timestamptz")),
                ("source", source),
                ("order", &order),
            ],
        )
    }
}
