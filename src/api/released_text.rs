//! As [`super::released`], of functions that need no knowledge base.

use pgrx::pg_sys::panic::ErrorReport;
use pgrx::prelude::*;

use super::text::kb_chunk_with_context;

#[pg_extern(sql = false)]
#[allow(clippy::type_complexity)]
fn kb_chunk<'a>(
    content: Option<&'a str>,
    chunk_size: Option<i32>,
    chunk_overlap: Option<i32>,
    unit: Option<&str>,
    strategy: Option<&str>,
) -> Result<
    TableIterator<
        'a,
        (
            name!(ordinal, i32),
            name!(content, &'a str),
            name!(start_char, i32),
            name!(end_char, i32),
            name!(heading, Option<String>),
        ),
    >,
    ErrorReport,
> {
    let chunks = kb_chunk_with_context(content, chunk_size, chunk_overlap, unit, strategy)?;
    Ok(TableIterator::new(
        chunks.map(|(ordinal, content, start, end, heading, _)| (ordinal, content, start, end, heading)),
    ))
}
