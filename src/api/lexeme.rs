//! kb_lexemes, kb_highlight: what keyword search sees of a text.

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::argument::required;
use crate::choice;
use crate::error::Result;
use crate::postgres::jsonb::Jsonb;
use crate::search::{self, Syntax};

#[pg_extern(stable, parallel_restricted)]
#[allow(clippy::type_complexity)]
fn kb_lexemes(
    content: Option<&str>,
    knowledge_base: Option<&str>,
) -> Result<
    TableIterator<
        'static,
        (
            name!(lexeme, String),
            name!(kind, String),
            name!(position, i32),
            name!(source, String),
            name!(dictionary, Option<String>),
            name!(start_char, i32),
            name!(end_char, i32),
        ),
    >,
    ErrorReport,
> {
    let lexemes =
        search::lexemes(required(content, "content")?, required(knowledge_base, "knowledge_base")?)?;
    Ok(TableIterator::new(lexemes.into_iter().map(|found| {
        (
            found.lexeme,
            found.kind.to_string(),
            found.position,
            found.source,
            found.dictionary,
            found.start_char,
            found.end_char,
        )
    })))
}

#[pg_extern(stable, parallel_restricted)]
#[allow(clippy::too_many_arguments, clippy::type_complexity)]
fn kb_highlight(
    content: Option<&str>,
    query: Option<&str>,
    knowledge_base: Option<&str>,
    max_chars: default!(Option<i64>, 200),
    start_sel: default!(Option<&str>, "''"),
    stop_sel: default!(Option<&str>, "''"),
    syntax: default!(Option<&str>, "'plain'"),
    language: default!(Option<&str>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (name!(snippet, String), name!(start_char, i32), name!(end_char, i32), name!(positions, Jsonb)),
    >,
    ErrorReport,
> {
    let found = search::highlight(
        required(content, "content")?,
        required(query, "query")?,
        required(knowledge_base, "knowledge_base")?,
        choice::chosen(syntax, Syntax::DEFAULT)?,
        language,
        max_chars,
        [start_sel.unwrap_or_default(), stop_sel.unwrap_or_default()],
    )?;
    let positions = Jsonb::from_value(&found.positions)?;
    Ok(TableIterator::once((found.snippet, found.start_char, found.end_char, positions)))
}
