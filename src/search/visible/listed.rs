//! A list of all chunks that the caller may see.

use std::collections::BTreeSet;

use pgrx::Uuid;

use super::check::{self, Chunk};
use super::tables;
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::keyword_index::Size;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning};

/// The chunks that the caller may see.
pub struct Listed {
    /// Their number, length and configurations.
    pub size: Size,
    /// Their numbers, ascending.
    pub numbers: Vec<i64>,
    /// Their ids.
    pub ids: Vec<Uuid>,
}

fn statement(base: &KnowledgeBase) -> String {
    spi::render(include_str!("listed.sql"), &[("schema", &base.quoted_schema())])
}

impl Listed {
    /// Reads them as the caller; None if there are more than `max`.
    pub fn read(connection: &Connection, base: &KnowledgeBase, max: i64) -> Result<Option<Listed>> {
        if check::follows(base)? {
            return Ok(check::all_followed(connection, base, max)?.map(Listed::new));
        }
        let args = [Arg::new(max.saturating_add(1))];
        let chunks =
            connection.query(&statement(base), Access::Read, Planning::Custom, &args, check::read)?;
        Ok((chunks.len() as i64 <= max).then(|| Listed::new(chunks)))
    }

    fn new(chunks: Vec<Chunk>) -> Listed {
        let mut configs = BTreeSet::<String>::new();
        for config in chunks.iter().filter_map(|chunk| chunk.text_config.as_ref()) {
            if !configs.contains(config) {
                configs.insert(config.clone());
            }
        }
        let mut numbers: Vec<i64> = chunks.iter().map(|chunk| chunk.number).collect();
        numbers.sort_unstable();
        let length = chunks.iter().fold(0i64, |length, chunk| length.saturating_add(i64::from(chunk.length)));
        let size = Size { chunks: numbers.len() as i64, length, text_configs: configs.into_iter().collect() };
        Listed { size, numbers, ids: chunks.into_iter().map(|chunk| chunk.id).collect() }
    }

    /// Whether PostgreSQL finds them by an index, and does not read all documents or chunks.
    pub fn uses_index(connection: &Connection, base: &KnowledgeBase) -> Result<bool> {
        // Then all chunks are asked about.
        if check::follows(base)? {
            return Ok(false);
        }
        let args = [Arg::new(i64::MAX)];
        connection.uses_index(&statement(base), &args, &tables(base)?)
    }
}
