//! The result of a tool, as the Model Context Protocol has it.

use kb_rag_core::context::{Passage, Source, join, percent};
use kb_rag_core::part::Part;
use kb_rag_core::relevance::Grade;
use pgrx::Uuid;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::context::{source, source_of_chunk, url_of_row};
use crate::document::{Document, FoundDocument, Level};
use crate::error::{Error, Result};
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
        let filename = filename(&chunk.metadata, &source_of_chunk(chunk, None));
        Ok(Cited {
            title: chunk.title.clone(),
            source: chunk.source.clone(),
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
            metadata: with_source(&chunk.metadata, filename.as_deref(), &chunk.knowledge_base)?,
            filename,
        })
    }

    fn of_document(document: &Document) -> Result<Cited> {
        let of = source(document.source.as_deref(), None, document.source_type.as_deref());
        let filename = filename(&document.metadata, &of);
        Ok(Cited {
            title: document.title.clone(),
            source: document.source.clone(),
            knowledge_base: document.knowledge_base.clone(),
            kb_id: document.knowledge_base.clone(),
            score: None,
            similarity: None,
            relevance: None,
            document_id: document.id.to_string(),
            chunk_id: None,
            page: None,
            start_char: None,
            end_char: None,
            metadata: with_source(&document.metadata, filename.as_deref(), &document.knowledge_base)?,
            filename,
        })
    }

    fn of_found(found: &FoundDocument) -> Result<Cited> {
        let cited = Cited::of_document(&found.document)?;
        Ok(Cited {
            score: Some(found.score),
            similarity: found.similarity,
            relevance: found.relevance,
            ..cited
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

    /// The summaries of the documents that a search found, each with its source.
    pub fn of_summaries(found: &[FoundDocument], level: Level, detail: Detail) -> Result<CallResult> {
        let texts: Vec<String> = found
            .iter()
            .map(|found| {
                let text = found.document.text(level).unwrap_or_default();
                detail.with_id(&text, found.relevance, found.document.id)
            })
            .collect();
        let passages: Vec<Passage> = found
            .iter()
            .zip(&texts)
            .map(|(FoundDocument { document, .. }, text)| {
                let url = url_of_row(&document.metadata);
                let of = source(
                    document.source.as_deref(),
                    document.title.as_deref(),
                    document.source_type.as_deref(),
                );
                Passage::after_source(&Source { url: url.as_deref(), ..of }, text)
            })
            .collect();
        let text = join(&passages, None).unwrap_or_else(|| detail.nothing());
        let sources = found.iter().map(Cited::of_found).collect::<Result<_>>()?;
        Ok(CallResult::new(text, sources, false))
    }

    /// A part of the text of a document, with a line that says how to read on.
    pub fn of_document(document: Document, part: &Part) -> Result<CallResult> {
        let cited = Cited::of_document(&document)?;
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

/// Metadata with the name of the file and the base, as some clients read them there, unless the document has members of these names.
fn with_source(metadata: &Jsonb, filename: Option<&str>, base: &str) -> Result<Box<RawValue>> {
    let raw = metadata.raw()?;
    let own = metadata.flat();
    let added: Vec<String> = [("filename", filename), ("kb_id", Some(base))]
        .into_iter()
        .filter_map(|(name, value)| value.filter(|_| own.get(name).is_none()).map(|value| (name, value)))
        .map(|(name, value)| format!("{}:{}", json!(name), json!(value)))
        .collect();
    // The text is kept, so that no number loses digits.
    let Some(members) = raw.get().trim().strip_prefix('{').and_then(|text| text.strip_suffix('}')) else {
        return Ok(raw);
    };
    let members = [added.join(","), members.trim().to_string()];
    let members: Vec<String> = members.into_iter().filter(|text| !text.is_empty()).collect();
    RawValue::from_string(format!("{{{}}}", members.join(",")))
        .map_err(|error| Error::internal(format!("metadata is no JSON: {error}")))
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
        self.with_id(&content, chunk.relevance, chunk.document_id)
    }

    fn with_id(&self, content: &str, relevance: Option<f64>, document: Uuid) -> String {
        if let Detail::Short = self {
            return content.to_string();
        }
        let relevance = match relevance {
            Some(relevance) => {
                format!("relevance {}%: {}, ", percent(relevance), Grade::of(relevance).name())
            }
            None => String::new(),
        };
        format!("{content}\n({relevance}document id {document})")
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
