//! The figures of the passages that row security leaves to the caller, counted when he asks: those that are kept would tell
//! him of the rest. What runs here runs as the caller, and reads what he may see and nothing else.

use kb_rag_core::tsvector::Wanted;

use super::{Size, add_up};
use crate::error::Result;
use crate::interrupt::take_interrupts;
use crate::spi::{self, Access, Connection, Planning};

/// Chunks and words he may see.
pub fn visible_size(connection: &Connection, schema: &str) -> Result<Size> {
    add_up(connection, &spi::render(include_str!("visible_size.sql"), &[("schema", schema)]), Access::Read)
}

/// In how many of these chunks each lexeme is, in the order given.
pub fn visible_frequencies(connection: &Connection, schema: &str, lexemes: &[String]) -> Result<Vec<f64>> {
    scan(connection, &spi::render(include_str!("visible_tsv.sql"), &[("schema", schema)]), lexemes)
}

/// In how many of the tsvectors that a statement gives each lexeme is, in the order given.
pub fn scan(connection: &Connection, sql: &str, lexemes: &[String]) -> Result<Vec<f64>> {
    let mut frequencies = vec![0.0; lexemes.len()];
    if lexemes.is_empty() {
        return Ok(frequencies);
    }
    let wanted = Wanted::new(lexemes.iter().map(|lexeme| lexeme.as_bytes().to_vec()).collect());
    connection.stream(sql, Access::Read, Planning::Generic, &[], |row| {
        take_interrupts();
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
