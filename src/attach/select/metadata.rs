//! Metadata of documents: columns of the row, its URL and its key.

use kb_rag_core::url_template::{self, Part};
use pgrx::pg_sys;

use super::{Select, in_table};
use crate::attach::column::Column;
use crate::attach::json;
use crate::postgres::{lookup, spi};

/// A JSON object is built from at most this many columns at a time: functions take at most 100 arguments.
const OBJECT_COLUMNS: usize = 40;

impl Select<'_> {
    /// The metadata of a row as text: the members of requested columns that are JSON objects, the other requested columns, the URL of
    /// the row, and the key.
    pub(super) fn metadata_of(&self, alias: &str) -> String {
        let object = |columns: &[&Column]| {
            let pairs = columns.iter().map(|c| {
                format!(
                    "{}::text, {}",
                    spi::quote_literal(&c.label),
                    json::expression(c, &in_table(alias, c))
                )
            });
            format!("jsonb_build_object({})", pairs.collect::<Vec<_>>().join(", "))
        };
        let is_json = |c: &Column| [pg_sys::JSONBOID, pg_sys::JSONOID].contains(&lookup::base_type(c.kind));
        let merged = self.metadata.iter().filter(|c| is_json(c)).map(|c| {
            let value = json::expression(c, &in_table(alias, c));
            format!(
                "CASE jsonb_typeof({value}) WHEN 'object' THEN {value} ELSE jsonb_build_object({}::text, {value}) END",
                spi::quote_literal(&c.label)
            )
        });
        let mut objects: Vec<String> = merged.collect();
        let plain: Vec<&Column> = self.metadata.iter().copied().filter(|c| !is_json(c)).collect();
        objects.extend(plain.chunks(OBJECT_COLUMNS).map(object));
        if let Some(url) = self.url_of(alias) {
            // Not one out of the columns.
            let others = if objects.is_empty() { "'{}'::jsonb".to_string() } else { objects.join(" || ") };
            objects = vec![
                format!("(({others}) - 'source_url')"),
                format!(
                    "CASE WHEN {url} IS NULL THEN '{{}}' ELSE jsonb_build_object('source_url', {url}) END"
                ),
            ];
        }
        objects.push(format!("jsonb_build_object('key', {})", object(&self.key)));
        format!("({})::text", objects.join(" || "))
    }

    /// The URL of a row of `alias`. NULL if a column in it is NULL; None without a template, or if a column of it is gone.
    fn url_of(&self, alias: &str) -> Option<String> {
        let parts = url_template::parse(self.table.options.url.as_deref()?).ok()?;
        let part = |part: Part| match part {
            Part::Text(text) => Some(spi::quote_literal(&text)),
            Part::Column(label) => {
                let column = self.url.iter().find(|c| c.label == label)?;
                Some(format!("kb_rag.url_encode({}::text)", in_table(alias, column)))
            }
        };
        let parts: Option<Vec<String>> = parts.into_iter().map(part).collect();
        Some(format!("({}::text)", parts?.join(" || ")))
    }
}
