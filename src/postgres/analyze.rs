//! Making the lexemes of chunks, in each format.

use kb_rag_core::analyzer::LexemeFormat;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use pgrx::{direct_function_call_as_datum, pg_sys};

use crate::error::{Error, Result};
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
    let fold_accents = fold_accents.unwrap_or(true);
    Ok(match format(number)? {
        LexemeFormat::One => tsvector::of_text(&config, document)?,
        LexemeFormat::Two => analyze(&config, document, fold_accents)?,
    })
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
    let fold_accents = fold_accents.unwrap_or(true);
    let made = match format(number)? {
        LexemeFormat::One => in_parts([title, heading, content], |text| tsvector::of_text(&config, text))?,
        LexemeFormat::Two => {
            in_parts([title, heading, content], |text| analyze(&config, text, fold_accents))?
        }
    };
    Ok(made)
}

/// The lexemes of a text in format 2.
fn analyze(config: &RegConfig, text: Option<&str>, _fold_accents: bool) -> Result<Option<Value>> {
    tsvector::of_text(config, text)
}

/// The lexemes of title, heading and content one after the other, with their weights.
fn in_parts(
    [title, heading, content]: [Option<&str>; 3],
    analyze: impl Fn(Option<&str>) -> Result<Option<Value>>,
) -> Result<Option<Value>> {
    let title = analyze(title)?.and_then(|lexemes| weighted(lexemes, TITLE));
    let heading = analyze(heading)?.and_then(|lexemes| weighted(lexemes, HEADING));
    let prefix = title.zip(heading).and_then(|(title, heading)| concatenated(title, heading));
    Ok(prefix.zip(analyze(content)?).and_then(|(prefix, content)| concatenated(prefix, content)))
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
