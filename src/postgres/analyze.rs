//! Making the lexemes of chunks, in each format.

use kb_rag_core::analyzer::LexemeFormat;
use kb_rag_core::lexeme::GAP;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use pgrx::{direct_function_call_as_datum, pg_sys};

use crate::error::{Error, Result};
use crate::postgres::lexemes::Lexer;
use crate::postgres::regconfig::RegConfig;
use crate::postgres::tsvector::{self, Value};

/// The weights of a title and of a heading.
const TITLE: u8 = b'A';
const HEADING: u8 = b'B';

/// The lexemes of a text in a format; NULL without one.
#[pg_extern(sql = false)]
fn to_tsvector_in_format(
    config: Option<RegConfig>,
    document: Option<&str>,
    lexeme_format: Option<i32>,
    fold_accents: Option<bool>,
) -> std::result::Result<Option<Value>, ErrorReport> {
    let Some((config, number)) = config.zip(lexeme_format) else { return Ok(None) };
    Ok(of_text(&lexer(config, number, fold_accents)?, document, 0)?)
}

/// The analyzer of these arguments. 42704 without the configuration, 22023 for a format that is not known.
fn lexer(config: RegConfig, number: i32, fold_accents: Option<bool>) -> Result<Lexer> {
    config.require()?;
    Ok(Lexer::new(config, format(number)?, fold_accents.unwrap_or(true)))
}

/// The lexemes of a chunk; NULL without a format.
#[pg_extern(sql = false)]
fn chunk_tsv(
    config: Option<RegConfig>,
    title: Option<&str>,
    heading: Option<&str>,
    content: Option<&str>,
    lexeme_format: Option<i32>,
    fold_accents: Option<bool>,
) -> std::result::Result<Option<Value>, ErrorReport> {
    let Some((config, number)) = config.zip(lexeme_format) else { return Ok(None) };
    let lexer = lexer(config, number, fold_accents)?;
    let mut chunk: Option<Value> = None;
    let mut follows = false;
    for (text, weight) in [(title, Some(TITLE)), (heading, Some(HEADING)), (content, None)] {
        // No phrase reaches from one into the other.
        let mut section = of_text(&lexer, text, if follows { GAP } else { 0 })?;
        follows |= text.is_some_and(|text| !text.trim().is_empty());
        if let Some(weight) = weight {
            section = section.and_then(|section| weighted(section, weight));
        }
        chunk = match chunk {
            Some(chunk) => section.and_then(|section| concatenated(chunk, section)),
            None => section,
        };
    }
    Ok(chunk)
}

/// The lexemes of a text in a format, whose first word has the position after `position`; that counts in format 2 only.
fn of_text(lexer: &Lexer, text: Option<&str>, position: u32) -> Result<Option<Value>> {
    match lexer.format() {
        LexemeFormat::One => tsvector::of_text(lexer.config(), text),
        LexemeFormat::Two => {
            tsvector::check_length(text.unwrap_or_default())?;
            Ok(Some(Value(lexer.tsvector(text.unwrap_or_default(), position))))
        }
    }
}

fn weighted(lexemes: Value, weight: u8) -> Option<Value> {
    let weight = pg_sys::Datum::from(weight as std::ffi::c_char);
    // SAFETY: called with a tsvector and a "char", as it is declared.
    unsafe { direct_function_call_as_datum(pg_sys::tsvector_setweight, &[Some(lexemes.0), Some(weight)]) }
        .map(Value)
}

fn concatenated(first: Value, second: Value) -> Option<Value> {
    // SAFETY: called with two tsvectors, as it is declared.
    unsafe { direct_function_call_as_datum(pg_sys::tsvector_concat, &[Some(first.0), Some(second.0)]) }
        .map(Value)
}

/// The format of this number. 22023 for one that is not known.
fn format(number: i32) -> Result<LexemeFormat> {
    LexemeFormat::from_number(number)
        .ok_or_else(|| Error::invalid(format!("lexeme_format {number} is not known")).hint("Use 1 or 2."))
}
