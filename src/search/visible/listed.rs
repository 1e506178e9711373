//! A list of all chunks that the caller may see.

use std::collections::BTreeSet;

use pgrx::Uuid;

use super::tables;
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::keyword_index::Size;
use crate::postgres::interrupt::check_for_interrupts;
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
        let (mut numbers, mut ids) = (Vec::new(), Vec::new());
        let (mut length, mut configs) = (0i64, BTreeSet::<String>::new());
        let args = [Arg::new(max.saturating_add(1))];
        connection.stream(&statement(base), Access::Read, Planning::Custom, &args, |row| {
            check_for_interrupts();
            numbers.push(row.require::<i64>(1)?);
            ids.push(row.require::<Uuid>(2)?);
            length = length.saturating_add(i64::from(row.require::<i32>(3)?.max(0)));
            if let Some(config) = row.get::<&str>(4)?.filter(|config| !configs.contains(*config)) {
                configs.insert(config.to_string());
            }
            Ok(())
        })?;
        if numbers.len() as i64 > max {
            return Ok(None);
        }
        numbers.sort_unstable();
        let chunks = numbers.len() as i64;
        let size = Size { chunks, length, text_configs: configs.into_iter().collect() };
        Ok(Some(Listed { size, numbers, ids }))
    }

    /// Whether PostgreSQL finds them by an index, and does not read all documents or chunks.
    pub fn uses_index(connection: &Connection, base: &KnowledgeBase) -> Result<bool> {
        let args = [Arg::new(i64::MAX)];
        connection.uses_index(&statement(base), &args, &tables(base)?)
    }
}
