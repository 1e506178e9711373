//! In how many chunks a lexeme occurs.

use std::collections::HashMap;

use kb_rag_core::frequent::FrequentItems;
use kb_rag_core::tsvector::TsVector;

use super::{Size, size, visible};
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::interrupt::check_for_interrupts;
use crate::spi::{self, Access, Arg, Connection, Planning};

/// Up to this many chunks, every lexeme is counted when a query asks for it.
const SMALL: i64 = 2_000;
/// A lexeme in at least this share of the chunks, and in at least this many, is common: its frequency is kept in `term`.
/// Counting any other takes less time than scoring the chunks that contain it.
const COMMON: f64 = 0.001;
const COMMON_CHUNKS: u64 = 50;
/// The index counts a lexeme in about the time that reading this many chunks takes. With fewer chunks per lexeme, as for a
/// long query or a small base, all chunks are read once instead.
const CHUNKS_PER_LEXEME: i64 = 10;
/// The frequencies are counted again, and not used before that, when more than this share of the chunks they were
/// counted among has been added or deleted since.
const STALE: f64 = 0.1;

/// The frequency of each lexeme among `size.chunks` chunks, in the order given.
pub fn frequencies(
    connection: &Connection,
    base: &KnowledgeBase,
    size: &Size,
    lexemes: &[String],
) -> Result<Vec<f64>> {
    if size.chunks <= CHUNKS_PER_LEXEME.saturating_mul(lexemes.len() as i64) {
        let sql = spi::render(include_str!("all_tsv.sql"), &[("schema", &base.quoted_schema())]);
        return visible::scan(connection, &sql, lexemes);
    }
    let sql = spi::render(
        include_str!("frequencies.sql"),
        &[("schema", &base.quoted_schema()), ("keyword_keys", &base.keyword_keys())],
    );
    let args = [Arg::new(lexemes.to_vec()), Arg::new(size.changes), Arg::new(STALE)];
    let rows = connection.query(&sql, Access::Read, Planning::Generic, &args, |row| {
        let common = row.get::<i64>(2)?.zip(row.get::<i64>(3)?);
        let frequency = match common {
            Some((chunks, of_chunks)) => chunks as f64 * size.chunks as f64 / (of_chunks as f64).max(1.0),
            None => row.get::<i64>(4)?.unwrap_or(0) as f64,
        };
        Ok((row.require::<String>(1)?, frequency))
    })?;
    let found: HashMap<String, f64> = rows.into_iter().collect();
    Ok(lexemes.iter().map(|lexeme| found.get(lexeme).copied().unwrap_or(0.0)).collect())
}

/// Counts the common lexemes of a large base again when the last count is stale. One writer does it; others go on.
pub fn refresh_when_due(connection: &Connection, schema: &str) -> Result<()> {
    let now = size(connection, schema, Access::Write)?;
    let sql = spi::render(include_str!("counted.sql"), &[("schema", schema)]);
    let counted = connection
        .query_one(&sql, Access::Write, &[], |row| Ok((row.require::<i64>(1)?, row.require::<i64>(2)?)))?;
    let due = match counted {
        None => now.chunks > SMALL,
        Some((of_chunks, of_changes)) => {
            now.changes.saturating_sub(of_changes) as f64 > STALE * of_chunks as f64
        }
    };
    if due { recount(connection, schema, &now) } else { Ok(()) }
}

/// Counts the common lexemes of a base again, unless another session is doing that.
pub fn recount_terms(connection: &Connection, schema: &str) -> Result<()> {
    recount(connection, schema, &size(connection, schema, Access::Write)?)
}

fn recount(connection: &Connection, schema: &str, now: &Size) -> Result<()> {
    let lock = spi::render(include_str!("lock.sql"), &[("schema_name", &spi::quote_literal(schema))]);
    if connection.query_one(&lock, Access::Write, &[], |row| row.require::<bool>(1))? != Some(true) {
        return Ok(());
    }
    let mut items = FrequentItems::new(COMMON / 20.0);
    connection.stream(
        &spi::render(include_str!("all_tsv.sql"), &[("schema", schema)]),
        Access::Write,
        Planning::Generic,
        &[],
        |row| {
            row.with_tsvector(1, |vector: &TsVector| items.add(vector.iter().map(|(lexeme, _)| lexeme)))?;
            check_for_interrupts();
            Ok(())
        },
    )?;
    let of_chunks = items.sets() as i64;
    let fewest =
        if of_chunks > SMALL { ((COMMON * of_chunks as f64) as u64).max(COMMON_CHUNKS) } else { u64::MAX };
    let (mut lexemes, mut chunks): (Vec<String>, Vec<i64>) = items
        .frequent(fewest)
        .filter_map(|(lexeme, count)| Some((String::from_utf8(lexeme.into_vec()).ok()?, count as i64)))
        .unzip();
    // Records when the count was made, even if nothing is common.
    lexemes.push(String::new());
    chunks.push(0);
    let replace = spi::render(include_str!("replace_terms.sql"), &[("schema", schema)]);
    connection.execute(
        &replace,
        &[Arg::new(lexemes), Arg::new(chunks), Arg::new(of_chunks), Arg::new(now.changes)],
    )?;
    Ok(())
}
