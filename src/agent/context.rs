//! kb_context: the passages for a question as one text.

use kb_rag_core::context::{Passage, Source, join};
use serde_json::Value;

use crate::attach;
use crate::choice::Choice;
use crate::error::{Error, Result};
use crate::postgres::jsonb::Jsonb;
use crate::search::{self, Duplicates, Form, FoundChunk, Mode, Request, Window};

/// So many characters of a context are left for the label of a document.
const MAX_LABEL_CHARS: usize = 256;

/// How a passage is labeled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// With its similarity.
    Relevance,
    /// With its source.
    Source,
}

impl Choice for Style {
    const WHAT: &'static str = "style";
    const ALL: &'static [Style] = &[Style::Relevance, Style::Source];

    fn name(self) -> &'static str {
        match self {
            Style::Relevance => "relevance",
            Style::Source => "source",
        }
    }
}

impl Style {
    pub const DEFAULT: Style = Style::Relevance;
}

/// The passages that a search finds, each with its label. Thresholds apply where the similarity tells something; that of the request
/// in the mode semantic everywhere, as for match_knowledge_chunks. With `page_numbers`, each that is from a page
/// says so. With `whole_document`, passages are documents. None if nothing is found.
pub fn context(
    request: Request,
    style: Style,
    max_chars: Option<i64>,
    page_numbers: bool,
    whole_document: bool,
) -> Result<Option<String>> {
    let max_chars = max_chars.map(check_max_chars).transpose()?;
    let mut request = request;
    if whole_document {
        request.window = Some(whole(&request, max_chars)?);
    }
    // As match_knowledge_chunks, which has each chunk.
    if request.mode == Mode::Semantic {
        request.duplicates = Duplicates::Keep;
    }
    request.check()?;
    let (mode, threshold) = (request.mode, request.match_threshold);
    let form = match mode {
        // The order of keyword search, with similarities.
        Mode::Keyword => Form::AnswerByKeyword,
        Mode::Semantic | Mode::Hybrid => Form::Answer,
    };
    let mut chunks = search::search(&Request { form, ..request })?.chunks;
    if mode == Mode::Semantic {
        chunks.retain(|chunk| is_above(chunk, threshold));
    }
    let page = |chunk: &FoundChunk| chunk.page.filter(|_| page_numbers);
    let passages: Vec<Passage> =
        chunks.iter().map(|chunk| passage(chunk, style, mode, max_chars).on_page(page(chunk))).collect();
    Ok(join(&passages, max_chars))
}

/// The window for whole documents: as many characters as `max_chars` has room for. 22023 without `max_chars`, or beside neighbors.
fn whole(request: &Request, max_chars: Option<usize>) -> Result<Window> {
    if request.window.is_some() {
        return Err(Error::invalid("neighbors and whole_document are both given").hint("Give one of them."));
    }
    let Some(max) = max_chars else {
        return Err(Error::invalid("whole_document needs max_chars")
            .hint("Give the number of characters that the prompt has room for."));
    };
    // The rest is for labels.
    let room = max.saturating_sub(MAX_LABEL_CHARS.min(max / 4));
    Ok(Window::Document { max_chars: u32::try_from(room).unwrap_or(u32::MAX).max(1) })
}

fn is_above(chunk: &FoundChunk, threshold: Option<f64>) -> bool {
    chunk.similarity.zip(threshold).is_none_or(|(similarity, threshold)| similarity > threshold)
}

fn check_max_chars(max_chars: i64) -> Result<usize> {
    let size = usize::try_from(max_chars).ok().filter(|size| *size > 0);
    size.ok_or_else(|| {
        Error::invalid(format!("max_chars {max_chars} is out of range"))
            .hint("Use a positive number of characters, or NULL for no limit.")
    })
}

fn passage(chunk: &FoundChunk, style: Style, mode: Mode, max_chars: Option<usize>) -> Passage<'_> {
    let url = url_of_row(&chunk.metadata);
    let source = source_of_chunk(chunk, url.as_deref());
    let text = chunk.passage_within(max_chars);
    match (style, chunk.similarity) {
        (Style::Source, _) => Passage::after_source(&source, text),
        (Style::Relevance, Some(similarity)) if chunk.is_reliable || mode == Mode::Semantic => {
            Passage::with_relevance(similarity, text)
        }
        (Style::Relevance, _) => Passage::below_source(&source, text),
    }
}

/// Where a chunk is from; `url` is that of its row.
pub fn source_of_chunk<'a>(chunk: &'a FoundChunk, url: Option<&'a str>) -> Source<'a> {
    Source { url, ..source(chunk.source.as_deref(), chunk.title.as_deref(), chunk.source_type.as_deref()) }
}

/// The URL of the row that a document was made from, as kb_attach writes it.
pub fn url_of_row(metadata: &Jsonb) -> Option<String> {
    let metadata = metadata.value()?;
    let is_row = metadata.get("key").is_some_and(Value::is_object);
    metadata.get("source_url").filter(|_| is_row)?.as_str().map(str::to_string)
}

/// Where a document is from. The keys of documents that kb_attach makes are those of rows.
pub fn source<'a>(key: Option<&'a str>, title: Option<&'a str>, source_type: Option<&str>) -> Source<'a> {
    Source { key, title, url: None, is_row: source_type == Some(attach::DEFAULT_SOURCE_TYPE) }
}
