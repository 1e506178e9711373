//! `tsvector` values at the boundary.

use std::ffi::CString;

use kb_rag_core::tsvector::TsVector;
use kb_rag_core::{bigram, language};
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;
use pgrx::{direct_function_call_as_datum, pg_sys, varlena};

use crate::boundary_type;
use crate::error::{Error, Result};
use crate::postgres::lookup;
use crate::postgres::regconfig::RegConfig;

/// The limit of a text; no chunk is longer. PostgreSQL does not check for interrupts while it parses, so a longer text
/// could keep a backend busy for long.
const MAX_BYTES: usize = 1 << 20;

/// Hands the tsvector to `work`; it is copied only where it is compressed or stored out of line.
///
/// # Safety
/// `datum` must be of type tsvector.
pub unsafe fn read<T>(datum: pg_sys::Datum, work: impl FnOnce(&TsVector) -> T) -> Result<T> {
    // SAFETY: promised by the caller; the bytes are read within their length; a copy is freed once.
    unsafe {
        let stored = datum.cast_mut_ptr::<pg_sys::varlena>();
        let value = pg_sys::pg_detoast_datum_packed(stored);
        let bytes = std::slice::from_raw_parts(
            varlena::vardata_any(value).cast::<u8>(),
            varlena::varsize_any_exhdr(value),
        );
        let result = TsVector::new(bytes).map(|vector| work(&vector));
        if value != stored {
            pg_sys::pfree(value.cast());
        }
        result.ok_or_else(|| Error::internal("a tsvector that is too short"))
    }
}

/// A `tsvector` as an argument or a result.
pub struct Value(pub pg_sys::Datum);

impl_sql_translatable!(Value, "tsvector");

impl FromDatum for Value {
    unsafe fn from_polymorphic_datum(datum: pg_sys::Datum, is_null: bool, _: pg_sys::Oid) -> Option<Value> {
        (!is_null).then_some(Value(datum))
    }
}

impl IntoDatum for Value {
    fn into_datum(self) -> Option<pg_sys::Datum> {
        Some(self.0)
    }

    fn type_oid() -> pg_sys::Oid {
        pg_sys::TSVECTOROID
    }
}

boundary_type!(Value, Value(pg_sys::Datum::from(0usize)));

/// The length of a tsvector: the number of occurrences of its lexemes.
#[pg_extern(sql = false)]
fn word_count(tsv: Option<Value>) -> std::result::Result<Option<i32>, ErrorReport> {
    // SAFETY: declared as tsvector in sql/internal.sql.
    let length = tsv.map(|tsv| unsafe { read(tsv.0, |vector| vector.length()) }).transpose()?;
    Ok(length.map(|length| i32::try_from(length).unwrap_or(i32::MAX)))
}

/// The lexemes of a text, with bigrams where it is written without spaces. Empty for NULL.
#[pg_extern(sql = false)]
fn to_tsvector(
    config: Option<RegConfig>,
    document: Option<&str>,
) -> std::result::Result<Option<Value>, ErrorReport> {
    Ok(config.map(|config| of_text(&config, document)).transpose()?.flatten())
}

/// The lexemes of a text in format 1; none for NULL.
pub fn of_text(config: &RegConfig, text: Option<&str>) -> Result<Option<Value>> {
    config.require()?;
    let text = text.unwrap_or_default();
    check_length(text)?;
    Ok(parse(config, text).map(Value))
}

/// 54000 for a text that is longer than a chunk may be.
pub fn check_length(text: &str) -> Result<()> {
    if text.len() <= MAX_BYTES {
        return Ok(());
    }
    Err(Error::limit(format!("text is too long: {} bytes", text.len()))
        .hint(format!("Use at most {MAX_BYTES} bytes, for example a chunk returned by kb_chunk.")))
}

/// A new tsvector of the lexemes of a text, bigrams included.
fn parse(config: &RegConfig, text: &str) -> Option<pg_sys::Datum> {
    let split = bigram::split(text);
    // SAFETY: called with the arguments each function is declared with; none of them returns null.
    unsafe {
        let words = direct_function_call_as_datum(
            pg_sys::to_tsvector_byid,
            &[config.0.into_datum(), split.rest.as_ref().into_datum()],
        );
        if split.bigrams.is_empty() {
            return words;
        }
        let bigrams = CString::new(text_form(&split.bigrams)).unwrap_or_default();
        let bigrams =
            direct_function_call_as_datum(pg_sys::tsvectorin, &[Some(pg_sys::Datum::from(bigrams.as_ptr()))]);
        direct_function_call_as_datum(pg_sys::tsvector_concat, &[words, bigrams])
    }
}

/// Lexemes with their positions, in the text form of a tsvector.
fn text_form(lexemes: &[(u32, &str)]) -> String {
    let mut text = String::with_capacity(lexemes.len() * 16);
    for (position, lexeme) in lexemes {
        // The largest position that PostgreSQL stores.
        let position = (*position).min(16_383);
        text.push_str(&format!("{}:{position} ", quote(lexeme)));
    }
    text
}

/// A lexeme, quoted as in a tsvector or tsquery.
pub fn quote(lexeme: &str) -> String {
    format!("'{}'", lexeme.replace('\\', "\\\\").replace('\'', "''"))
}

/// The text search configuration for a language, or `otherwise` where there is none.
#[pg_extern(sql = false)]
fn text_config(
    language: Option<&str>,
    otherwise: Option<&str>,
) -> std::result::Result<Option<String>, ErrorReport> {
    let known = language.and_then(config_of_language);
    Ok(known.map(|name| format!("pg_catalog.{name}")).or_else(|| otherwise.map(str::to_string)))
}

/// The name of PostgreSQL's text search configuration for a language. None for one that this major version lacks.
pub fn config_of_language(language: &str) -> Option<&'static str> {
    language::text_config(language).filter(|name| is_built_in(name))
}

/// Whether this major version of PostgreSQL has a text search configuration.
fn is_built_in(name: &str) -> bool {
    CString::new(name).is_ok_and(|name| {
        let keys = [pg_sys::Datum::from(name.as_ptr()), pg_sys::Datum::from(pg_sys::PG_CATALOG_NAMESPACE)];
        lookup::row_exists(pg_sys::SysCacheIdentifier::TSCONFIGNAMENSP, keys)
    })
}
