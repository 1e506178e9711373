//! The result of a tool, as the Model Context Protocol has it.

use kb_rag_core::context::{Passage, Source, join, percent};
use kb_rag_core::part::Part;
use kb_rag_core::relevance::Grade;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::context::{source, source_of_chunk, url_of_row};
use crate::document::Document;
use crate::error::Result;
use crate::postgres::jsonb::Jsonb;
use crate::search::FoundChunk;

/// The text where a search finds nothing.
const NOTHING: &str = "No passage about this was found.";

/// What a call returns.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallResult {
    content: [Content; 1],
    structured_content: Structured,
    /// The same as in `structured_content`, for applications that show sources beside the answer.
    sources: Vec<Cited>,
    is_error: bool,
}

#[derive(Serialize)]
struct Content {
    #[serde(rename = "type")]
    kind: &'static str,
    text: String,
}

#[derive(Serialize)]
struct Structured {
    sources: Vec<Cited>,
    /// Which part of a document the text is, if it is not the whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<Value>,
}

/// A source of the text.
#[derive(Clone, Serialize)]
pub struct Cited {
    pub title: Option<String>,
    pub source: Option<String>,
    pub filename: Option<String>,
    pub knowledge_base: String,
    /// The same, as some clients call it.
    pub kb_id: String,
    pub score: Option<f64>,
    pub similarity: Option<f64>,
    pub relevance: Option<f64>,
    pub document_id: String,
    pub chunk_id: Option<String>,
    pub page: Option<i32>,
    pub start_char: Option<i32>,
    pub end_char: Option<i32>,
    pub metadata: Box<RawValue>,
}

impl Cited {
    fn of_chunk(chunk: &FoundChunk) -> Result<Cited> {
        Ok(Cited {
            title: chunk.title.clone(),
            source: chunk.source.clone(),
            filename: filename(&chunk.metadata, &source_of_chunk(chunk, None)),
            knowledge_base: chunk.knowledge_base.clone(),
            kb_id: chunk.knowledge_base.clone(),
            score: Some(chunk.score),
            similarity: chunk.similarity,
            relevance: chunk.relevance,
            document_id: chunk.document_id.to_string(),
            chunk_id: Some(chunk.chunk_id.to_string()),
            page: chunk.page,
            start_char: chunk.start_char,
            end_char: chunk.end_char,
            metadata: chunk.metadata.raw()?,
        })
    }
}

impl CallResult {
    fn new(text: String, sources: Vec<Cited>, is_error: bool) -> CallResult {
        let content = [Content { kind: "text", text }];
        let structured_content = Structured { sources: sources.clone(), part: None };
        CallResult { content, structured_content, sources, is_error }
    }

    /// The passages of a search, each with its source.
    pub fn of_search(chunks: &[FoundChunk], detail: Detail) -> Result<CallResult> {
        let texts: Vec<String> = chunks.iter().map(|chunk| detail.text(chunk)).collect();
        let passages: Vec<Passage> = chunks
            .iter()
            .zip(&texts)
            .map(|(chunk, text)| {
                let url = url_of_row(&chunk.metadata);
                Passage::after_source(&source_of_chunk(chunk, url.as_deref()), text).on_page(chunk.page)
            })
            .collect();
        let text = join(&passages, None).unwrap_or_else(|| detail.nothing());
        let sources = chunks.iter().map(Cited::of_chunk).collect::<Result<_>>()?;
        Ok(CallResult::new(text, sources, false))
    }

    /// A part of the text of a document, with a line that says how to read on.
    pub fn of_document(document: Document, part: &Part) -> Result<CallResult> {
        let cited = Cited {
            filename: filename(
                &document.metadata,
                &source(document.source.as_deref(), None, document.source_type.as_deref()),
            ),
            title: document.title,
            source: document.source,
            kb_id: document.knowledge_base.clone(),
            knowledge_base: document.knowledge_base,
            score: None,
            similarity: None,
            relevance: None,
            document_id: document.id.to_string(),
            chunk_id: None,
            page: None,
            start_char: None,
            end_char: None,
            metadata: document.metadata.raw()?,
        };
        if part.is_whole() {
            return Ok(CallResult::new(part.text.to_string(), vec![cited], false));
        }
        let mut result = CallResult::new(format!("{}\n{}", part.text, part.note()), vec![cited], false);
        result.structured_content.part = Some(json!(part));
        Ok(result)
    }

    /// What the model did wrong, or what failed.
    pub fn of_error(message: String) -> CallResult {
        CallResult::new(message, Vec::new(), true)
    }
}

/// The name of the file that a document was made from: kb_add_file and kb_add_url put it into the metadata. Else the last part of
/// a path.
fn filename(metadata: &Jsonb, source: &Source) -> Option<String> {
    let named = metadata.flat().get("filename").and_then(|name| name.as_str().map(str::to_string));
    named.filter(|name| !name.trim().is_empty()).or_else(|| source.file_name().map(str::to_string))
}

/// What the text of a search tells.
pub enum Detail<'a> {
    /// Passages and their sources.
    Short,
    /// Also a line with the id that reads the document, and, if there is nothing, the kind of documents that was asked for.
    WithIds { source_type: Option<&'a str> },
}

impl Detail<'_> {
    fn text(&self, chunk: &FoundChunk) -> String {
        let content = chunk.passage();
        if let Detail::Short = self {
            return content.into_owned();
        }
        let relevance = match chunk.relevance {
            Some(relevance) => {
                format!("relevance {}%: {}, ", percent(relevance), Grade::of(relevance).name())
            }
            None => String::new(),
        };
        format!("{content}\n({relevance}document id {})", chunk.document_id)
    }

    fn nothing(&self) -> String {
        match self {
            Detail::WithIds { source_type: Some(source_type) } => {
                format!("{NOTHING} Only documents of source_type \"{source_type}\" were searched.")
            }
            _ => NOTHING.to_string(),
        }
    }
}
