//! kb_attach with `if_not_exists`: a table that is attached already stays as it is, and a notice says what is different.

use pgrx::Uuid;

use super::attachment::Attachment;
use super::column::Use;
use super::condition;
use super::overview::Source;
use super::table::Candidate;
use super::write::Request;
use crate::base::KnowledgeBase;
use crate::choice::Choice;
use crate::error::{Error, Result};
use crate::postgres::spi::Access;
use crate::postgres::subtransaction;

/// The source of the table if it is attached and can be followed, after a notice. None if it has to be attached.
pub fn keep(base: &KnowledgeBase, request: &Request) -> Result<Option<Uuid>> {
    let sources = Source::for_base(base, Access::Write)?;
    let Some(source) = sources.into_iter().find(|source| source.table == Some(request.table)) else {
        return Ok(None);
    };
    let Some(attachment) = Attachment::read(base, source.source_id, request.table)? else { return Ok(None) };
    if attachment.fault().is_some() {
        return Ok(None);
    }
    let name = &attachment.table.name;
    let message = format!("table {name} is already attached to knowledge base \"{}\", skipping", base.name);
    let table = Candidate::look(request.table)?;
    let is: Vec<String> = arguments(&attachment, &source, &table);
    let mut different: Vec<String> = wanted(request, &table)?
        .into_iter()
        .zip(is)
        .filter(|((_, wanted), is)| wanted != is)
        .map(|((argument, wanted), is)| format!("{argument} is {is}, not {wanted}"))
        .collect();
    if let Some(off) = &source.disabled {
        different.push(format!("triggers are disabled: {off}"));
    }
    let hint = "Run kb_attach without if_not_exists to change the attachment.";
    Error::remark(message).with_differences(&different, hint).notify();
    Ok(Some(source.source_id))
}

const NONE: &str = "NULL";

/// The arguments of a call, as [`arguments`] gives those of an attachment.
fn wanted(request: &Request, table: &Candidate) -> Result<[(&'static str, String); 11]> {
    let condition = match request.condition {
        Some(text) => condition::renamed(text, table, &[])?,
        None => NONE.to_string(),
    };
    let text = |value: Option<&str>| value.unwrap_or(NONE).to_string();
    Ok([
        ("content", request.content.to_string()),
        ("title", text(request.title)),
        ("metadata", list(&request.metadata)),
        ("source_type", request.source_type.to_string()),
        ("row_security", request.row_security.name().to_string()),
        ("mime_type", text(request.mime_type)),
        ("language", text(request.language)),
        ("more_content", list(&request.more_content)),
        ("url", text(request.url)),
        ("condition", condition),
        ("embedding", text(request.embedding)),
    ])
}

/// The arguments of the last kb_attach, with the names that columns have now.
fn arguments(attachment: &Attachment, source: &Source, table: &Candidate) -> Vec<String> {
    let names = |used_as: Use| -> Vec<String> {
        let columns = attachment.table.columns.iter().filter(|column| column.used_as == used_as);
        columns.map(|column| column.name.clone()).collect()
    };
    let one = |used_as: Use| names(used_as).into_iter().next().unwrap_or_else(|| NONE.to_string());
    let given = |constant: &Option<String>, used_as: Use| match (constant, names(used_as).first()) {
        (Some(constant), _) => constant.clone(),
        (None, Some(column)) => format!("{{{column}}}"),
        (None, None) => NONE.to_string(),
    };
    let options = &attachment.table.options;
    let name_of = |label: &str| {
        let mut of_url = attachment.table.columns.iter().filter(|column| column.used_as == Use::Url);
        of_url.find(|column| column.label == label).map(|column| column.name.clone())
    };
    let of_condition = attachment.table.columns.iter().filter(|column| column.used_as == Use::Condition);
    let renames: Vec<(String, String)> =
        of_condition.map(|column| (column.label.clone(), column.name.clone())).collect();
    // One that cannot be read any more is shown as it was recorded.
    let condition_now = |text: &str| {
        subtransaction::try_read(|| condition::renamed(text, table, &renames))
            .unwrap_or_else(|_| text.to_string())
    };
    vec![
        one(Use::Content),
        one(Use::Title),
        list(&names(Use::Metadata)),
        attachment.source_type.clone(),
        source.row_security.name().to_string(),
        given(&options.mime_type, Use::MimeType),
        given(&options.language, Use::Language),
        list(&names(Use::MoreContent)),
        options.url_now(name_of).unwrap_or_else(|| NONE.to_string()),
        options.condition.as_deref().map_or(NONE.to_string(), condition_now),
        one(Use::Embedding),
    ]
}

fn list(names: &[String]) -> String {
    if names.is_empty() { NONE.to_string() } else { format!("{{{}}}", names.join(",")) }
}
