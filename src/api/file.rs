//! kb_extract, kb_add_file.

use pgrx::Uuid;
use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::argument::required;
use crate::cluster::here_or_there;
use crate::error::Result;
use crate::extraction::{self, File};
use crate::ingest::{self, FileAddition};
use crate::postgres::call::Call;
use crate::postgres::guc;
use crate::postgres::jsonb::Jsonb;
use crate::queue;

#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::type_complexity)]
fn kb_extract(
    file: Option<&[u8]>,
    filename: default!(Option<&str>, "NULL"),
    mime_type: default!(Option<&str>, "NULL"),
    password: default!(Option<&str>, "NULL"),
) -> Result<
    TableIterator<
        'static,
        (
            name!(page, Option<i32>),
            name!(title, Option<String>),
            name!(content, String),
            name!(error, Option<String>),
            name!(mime_type, &'static str),
            name!(language, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let file = File { bytes: required(file, "file")?, filename, mime_type, password };
    let text = if password.is_some() {
        guc::concealing_statement(|| extraction::read(&file))?
    } else {
        extraction::read(&file)?
    };
    extraction::warn_of_remark(filename, &text);
    let (mime_type, properties) = (text.mime_type(), text.properties);
    Ok(TableIterator::new((1..).zip(text.pages).map(move |(number, page)| {
        let (title, language) = (properties.title.clone(), properties.language.clone());
        (properties.paged.then_some(number), title, page.content, page.error, mime_type, language)
    })))
}

#[pg_extern(volatile, parallel_unsafe)]
#[allow(clippy::too_many_arguments)]
fn kb_add_file(
    call: Call,
    knowledge_base: Option<&str>,
    file: Option<&[u8]>,
    filename: Option<&str>,
    title: default!(Option<&str>, "NULL"),
    source_key: default!(Option<&str>, "NULL"),
    source_type: default!(Option<&str>, "NULL"),
    metadata: default!(Option<Jsonb>, "'{}'"),
    mime_type: default!(Option<&str>, "NULL"),
    language: default!(Option<&str>, "NULL"),
    password: default!(Option<&str>, "NULL"),
    source_id: default!(Option<Uuid>, "NULL"),
) -> Result<Uuid, ErrorReport> {
    Ok(here_or_there(call, || {
        queue::wake_if_idle();
        let knowledge_base = required(knowledge_base, "knowledge_base")?;
        let (bytes, filename) = (required(file, "file")?, required(filename, "filename")?);
        let addition = FileAddition {
            file: File { bytes, filename: Some(filename), mime_type, password },
            filename,
            title,
            source_key,
            source_type,
            metadata: metadata.unwrap_or_default(),
            language,
            source_id,
        };
        ingest::add_file(knowledge_base, &addition)
    })?)
}
