//! Checking as the caller that chunks are visible. If only policies that follow attached tables secure a base, one statement asks each table about
//! many chunks; otherwise the policies are asked.

use std::collections::HashSet;

use pgrx::Uuid;

use crate::base::{self, KnowledgeBase};
use crate::error::Result;
use crate::postgres::guc;
use crate::postgres::spi::{self, Access, Arg, Connection, Planning, Row};

/// A chunk that the caller may see.
pub struct Chunk {
    pub number: i64,
    pub id: Uuid,
    pub length: i32,
    pub text_config: Option<String>,
}

/// A row of the statements that read chunks: number, id, length and text search configuration.
pub fn read(row: &Row) -> Result<Chunk> {
    Ok(Chunk {
        number: row.require(1)?,
        id: row.require(2)?,
        length: row.require::<i32>(3)?.max(0),
        text_config: row.get(4)?,
    })
}

/// Whether [`followed`] can be asked.
pub fn follows(base: &KnowledgeBase) -> Result<bool> {
    Ok(base.follows_rows && base::visible_chunks(base, &[])?.is_some())
}

/// The chunks with these numbers that the caller may see.
pub fn numbers(connection: &Connection, base: &KnowledgeBase, numbers: &[i64]) -> Result<Vec<Chunk>> {
    let schema = base.quoted_schema();
    let args = [Arg::new(numbers.to_vec())];
    let query = |template: &str| {
        let sql = spi::render(template, &[("schema", &schema)]);
        guc::with_index(|| connection.query(&sql, Access::Read, Planning::Generic, &args, read))
    };
    if follows(base)? {
        return followed(base, base.as_owner(|| query(include_str!("numbered.sql")))?);
    }
    query(include_str!("checked.sql"))
}

/// All chunks that the caller may see, of a base whose policies only follow attached tables. None if there are more than `max`.
pub fn all_followed(connection: &Connection, base: &KnowledgeBase, max: i64) -> Result<Option<Vec<Chunk>>> {
    let sql = spi::render(include_str!("all.sql"), &[("schema", &base.quoted_schema())]);
    let all = base.as_owner(|| connection.query(&sql, Access::Read, Planning::Generic, &[], read))?;
    let visible = followed(base, all)?;
    Ok((visible.len() as i64 <= max).then_some(visible))
}

fn followed(base: &KnowledgeBase, chunks: Vec<Chunk>) -> Result<Vec<Chunk>> {
    let ids: Vec<Uuid> = chunks.iter().map(|chunk| chunk.id).collect();
    let visible: HashSet<Uuid> = ids_followed(base, &ids)?.into_iter().collect();
    Ok(chunks.into_iter().filter(|chunk| visible.contains(&chunk.id)).collect())
}

/// Those of these chunks that the caller may see, of a base whose policies only follow attached tables.
pub fn ids_followed(base: &KnowledgeBase, ids: &[Uuid]) -> Result<Vec<Uuid>> {
    Ok(base::visible_chunks(base, ids)?.unwrap_or_default())
}

/// Those of these chunks that were made with a text search configuration, hidden ones too: called as the owner.
pub fn of_config(
    connection: &Connection,
    base: &KnowledgeBase,
    numbers: Vec<i64>,
    config: &str,
) -> Result<Vec<i64>> {
    if numbers.is_empty() {
        return Ok(numbers);
    }
    let sql = spi::render(include_str!("of_config.sql"), &[("schema", &base.quoted_schema())]);
    let args = [Arg::new(numbers), Arg::new(config)];
    guc::with_index(|| connection.query(&sql, Access::Read, Planning::Generic, &args, |row| row.require(1)))
}
