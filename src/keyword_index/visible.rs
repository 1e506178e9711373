//! Statistics of the chunks that row security lets the caller see, counted on demand: the stored ones would reveal hidden
//! chunks. Everything here runs as the caller, and reads only what the caller may see.

use kb_rag_core::tsvector::Wanted;

use super::Size;
use crate::error::Result;
use crate::postgres::interrupt::check_for_interrupts;
use crate::postgres::spi::{self, Access, Connection, Planning};

/// Number and length of the chunks that the caller may see.
pub fn visible_size(connection: &Connection, schema: &str) -> Result<Size> {
    let sql = spi::render(include_str!("visible_size.sql"), &[("schema", schema)]);
    let parts = connection.query(&sql, Access::Read, Planning::Generic, &[], |row| {
        Ok((row.require::<String>(1)?, row.require::<i64>(2)?, row.require::<i64>(3)?))
    })?;
    let mut size = Size::default();
    for (text_config, chunks, length) in parts {
        size.chunks = size.chunks.saturating_add(chunks);
        size.length = size.length.saturating_add(length);
        size.text_configs.push(text_config);
    }
    Ok(size)
}

/// In how many of these chunks each lexeme occurs, in the order given.
pub fn visible_frequencies(connection: &Connection, schema: &str, lexemes: &[String]) -> Result<Vec<f64>> {
    scan(connection, &spi::render(include_str!("visible_tsv.sql"), &[("schema", schema)]), lexemes)
}

/// In how many of the tsvectors that a statement returns each lexeme occurs, in the order given.
pub fn scan(connection: &Connection, sql: &str, lexemes: &[String]) -> Result<Vec<f64>> {
    let mut frequencies = vec![0.0; lexemes.len()];
    if lexemes.is_empty() {
        return Ok(frequencies);
    }
    let wanted = Wanted::new(lexemes.iter().map(|lexeme| lexeme.as_bytes().to_vec()).collect());
    connection.stream(sql, Access::Read, Planning::Generic, &[], |row| {
        check_for_interrupts();
        row.with_tsvector(1, |vector| {
            wanted.find(vector, |place, _| {
                if let Some(frequency) = frequencies.get_mut(place) {
                    *frequency += 1.0;
                }
            });
        })
    })?;
    Ok(frequencies)
}
