//! Warnings of kb_attach about the first rows: texts that are files, and columns that were mixed up.

use kb_rag_core::file_kind::{Handling, Reader, looks_like};

use super::attachment::Table;
use super::column::Use;
use super::row::SourceRow;
use crate::error::Error;

/// Some of fewer rows say nothing of the others.
const MIN_ROWS: usize = 10;
/// A title that is longer than this on average is a text.
const MAX_TITLE_CHARS: usize = 200;

/// Warns of what is probably a mistake. `is_read`: files and pages are read.
pub fn warn(rows: &[SourceRow], table: &Table, is_read: bool) {
    if !is_read {
        warn_of_files(rows, table);
    }
    warn_of_empty(rows, table);
    warn_of_titles(rows, table);
}

/// Tags or digits would be searched as words.
fn warn_of_files(rows: &[SourceRow], table: &Table) {
    let looks = |row: &SourceRow| Some((row.key.clone(), looks_like(None, row.content.as_deref()?)?));
    let Some((key, kind)) = rows.iter().find_map(looks) else { return };
    let hint = if kind.handling == Handling::Read(Reader::Html) {
        "Attach the table with mime_type => 'text/html', or with the column of the MIME type: mime_type => '{mime_type}'."
    } else {
        "Keep files in a column of type bytea, which kb_attach reads."
    };
    let (name, kind) = (&table.name, kind.name);
    Error::warning(format!(
        "the text of row \"{key}\" of table {name} looks like {kind}, and is indexed as it is"
    ))
    .hint(hint)
    .notify();
}

fn warn_of_empty(rows: &[SourceRow], table: &Table) {
    let empty = rows.iter().filter(|row| row.content.is_none()).count();
    let is_all = empty > 0 && empty == rows.len();
    let (name, count) = (&table.name, rows.len());
    if table.options.condition.is_some() {
        // Rows that do not meet it are no mistake, unless none does.
        if is_all {
            Error::warning(format!("none of the first {count} rows of table {name} has a document"))
                .detail("They do not meet the condition, or have no text.")
                .hint("Look at the condition: attach the table again with another one, or without one.")
                .notify();
        }
    } else if is_all || rows.len() >= MIN_ROWS && empty * 2 > rows.len() {
        let column = column(table, Use::Content);
        Error::warning(format!(
            "column \"{column}\" of table {name} has no text in {empty} of the first {count} rows, which have no documents"
        ))
        .hint("Is content the right column? Add further columns with more_content.")
        .notify();
    }
}

fn warn_of_titles(rows: &[SourceRow], table: &Table) {
    let chars = |text: Option<&str>| text.map_or(0, |text| text.chars().count());
    let titles: usize = rows.iter().map(|row| chars(row.title.as_deref())).sum();
    let texts: usize = rows.iter().map(|row| chars(row.content.as_deref())).sum();
    if titles > texts && titles > rows.len() * MAX_TITLE_CHARS {
        let (title, content, name) = (column(table, Use::Title), column(table, Use::Content), &table.name);
        Error::warning(format!(
            "the title column \"{title}\" of table {name} has longer texts than the content column \"{content}\""
        ))
        .hint("A title is repeated with each chunk. Exchange title and content if they were mixed up.")
        .notify();
    }
}

fn column(table: &Table, used_as: Use) -> &str {
    table.columns.iter().find(|column| column.used_as == used_as).map_or("", |column| column.name.as_str())
}
