//! kb_lexemes, kb_highlight: what keyword search sees of a text.

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::argument::required;
use crate::choice;
use crate::search::{self, DEFAULT_MARKS, Syntax};

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
fn kb_highlight(
    content: Option<&str>,
    query: Option<&str>,
    knowledge_base: Option<&str>,
    start_sel: default!(Option<&str>, "'<b>'"),
    stop_sel: default!(Option<&str>, "'</b>'"),
    syntax: default!(Option<&str>, "'plain'"),
) -> Result<String, ErrorReport> {
    let [start, stop] = DEFAULT_MARKS;
    let marks = [start_sel.unwrap_or(start), stop_sel.unwrap_or(stop)];
    let syntax = choice::chosen(syntax, Syntax::DEFAULT)?;
    Ok(search::highlight(
        required(content, "content")?,
        required(query, "query")?,
        required(knowledge_base, "knowledge_base")?,
        syntax,
        marks,
    )?)
}
