//! kb_question_draft: questions for those who have none, made of chunks.

use std::time::Duration;

use kb_rag_core::evaluation::draft::{Draft, Passage, drafts};
use kb_rag_core::manifest::PromptReference;
use kb_rag_core::plural::counted;
use kb_rag_core::provider::tokens;
use pgrx::Uuid;

use super::question::{self, NewQuestion};
use super::tables;
use crate::agent;
use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::model;
use crate::postgres::interrupt;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Arg, Planning};
use crate::provider::usage::{self, Usage};
use crate::settings;

/// The default of `question_count`.
pub const DEFAULT_COUNT: i32 = 20;
const MAX_COUNT: i32 = 1_000;
/// Chunks looked at for each question: some give none, and rare words are rare among them.
const CHUNKS: i32 = 8;
/// How long a chat model may take for a question.
const MAX_TIME: Duration = Duration::from_secs(30);
/// The prompt that replaces [`INSTRUCTIONS`], if somebody made it.
const PROMPT: &str = "kb_question_draft";
const INSTRUCTIONS: &str = "Write one question that a person might ask who does not know the following passage, and that the \
                            passage answers. Use the language of the passage, but other words than it has. Reply with the question alone.";
/// The most characters of a passage that a chat model reads.
const MAX_PASSAGE: usize = 4_000;

/// A question that was made.
pub struct Drafted {
    pub id: Uuid,
    pub question: String,
    pub kind: &'static str,
    pub source: Option<String>,
}

struct Chunk {
    document: Uuid,
    key: Option<String>,
    title: Option<String>,
    heading: Option<String>,
    content: String,
}

/// Makes at most `count` questions of chunks that the caller sees, and marks them as drafts. With `by_chat_model`, kb_rag.chat_model
/// writes them. 55000 if the base has no chunk.
pub fn draft(knowledge_base: &str, count: i32, by_chat_model: bool) -> Result<Vec<Drafted>> {
    if !(1..=MAX_COUNT).contains(&count) {
        return Err(Error::invalid(format!("question_count {count} is out of range"))
            .hint(format!("Use 1 to {MAX_COUNT}.")));
    }
    let base = tables::of_base(knowledge_base, false)?;
    let schema = base.quoted_schema();
    let (chunks, asked) = base.read(|| {
        spi::connect(|c| {
            let sql = spi::render(include_str!("passages.sql"), &[("schema", &schema)]);
            let args = [Arg::new(i64::from(count * CHUNKS))];
            let chunks = c.query(&sql, Access::Read, Planning::Auto, &args, |row| {
                Ok(Chunk {
                    document: row.require(1)?,
                    key: row.get(2)?,
                    title: row.get(3)?,
                    heading: row.get(4)?,
                    content: row.require(5)?,
                })
            })?;
            let sql = spi::render(include_str!("asked.sql"), &[("schema", &schema)]);
            let asked = c.query(&sql, Access::Read, Planning::Auto, &[], |row| row.require::<String>(1))?;
            Ok((chunks, asked))
        })
    })?;
    if chunks.is_empty() {
        return Err(Error::not_ready(format!("knowledge base \"{knowledge_base}\" has no chunks"))
            .hint("Add documents first."));
    }
    if by_chat_model {
        return of_chat_model(&base, &chunks, usize::try_from(count).unwrap_or_default());
    }
    let passages: Vec<Passage> = chunks
        .iter()
        .map(|chunk| Passage {
            title: chunk.title.as_deref(),
            heading: chunk.heading.as_deref(),
            content: &chunk.content,
        })
        .collect();
    let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
    let made = drafts(&passages, usize::try_from(count).unwrap_or_default(), &asked)
        .into_iter()
        .map(|Draft { passage, kind, question, quote }| {
            add(&base, &chunks[passage], question, quote, kind.name())
        })
        .collect::<Result<Vec<_>>>()?;
    if made.is_empty() {
        let error = if chunks.len() < usize::try_from(count * CHUNKS).unwrap_or_default() {
            Error::remark(format!(
                "no further questions can be made from the documents of knowledge base \"{knowledge_base}\""
            ))
            .hint("Add some with kb_question_add, or pass use_chat_model => true.")
        } else {
            Error::remark(format!("no further questions can be made from {}", counted(chunks.len(), "chunk")))
                .hint("A larger question_count looks at more chunks.")
        };
        error.notify();
    }
    Ok(made)
}

/// Adds a question about a chunk: a quote is expected, or its document.
fn add(
    base: &KnowledgeBase,
    chunk: &Chunk,
    question: String,
    quote: Option<String>,
    kind: &'static str,
) -> Result<Drafted> {
    let is_quoted = quote.is_some();
    let new = NewQuestion {
        text: &question,
        keys: chunk.key.iter().filter(|_| !is_quoted).cloned().collect(),
        documents: if is_quoted || chunk.key.is_some() { Vec::new() } else { vec![chunk.document] },
        texts: quote.into_iter().collect(),
        filter: Jsonb::default(),
        agent: None,
        tags: vec!["draft".to_string(), kind.to_string()],
        weight: 1.0,
        is_draft: true,
        has_null: false,
    };
    let id = question::insert(base, new)?;
    Ok(Drafted { id, question, kind, source: chunk.key.clone() })
}

/// The questions that a chat model writes, one call for each. What it costs is said before.
fn of_chat_model(base: &KnowledgeBase, chunks: &[Chunk], count: usize) -> Result<Vec<Drafted>> {
    let name = settings::chat_model().ok_or_else(|| {
        Error::not_ready("no chat model is set").hint("Set kb_rag.chat_model, such as openai/gpt-4o-mini.")
    })?;
    let model = model::open_chat(&name, role::current_role())?;
    let own = PromptReference { id: PROMPT.to_string(), version: None };
    let instructions = match agent::referred_prompt(&own) {
        Ok(prompt) => prompt.content,
        Err(error) if error.is_not_found() => INSTRUCTIONS.to_string(),
        Err(error) => return Err(error),
    };
    let chunks = &chunks[..count.min(chunks.len())];
    let texts: Vec<String> = chunks.iter().map(passage).collect();
    let tokens: u64 =
        texts.iter().map(|text| tokens::estimate_tokens(&instructions) + tokens::estimate_tokens(text)).sum();
    Error::remark(format!(
        "chat model \"{name}\" is asked {} times, with about {tokens} tokens",
        texts.len()
    ))
    .notify();
    let mut made = Vec::new();
    for (chunk, text) in chunks.iter().zip(&texts) {
        interrupt::check_for_interrupts();
        let reply = model.ask(&instructions, text, MAX_TIME)?;
        usage::record(&Usage {
            knowledge_base: Some((base.id, &base.name)),
            model: &name,
            calls: 1,
            items: 1,
            tokens: reply.tokens,
            output_tokens: reply.output_tokens,
            ..Usage::default()
        })?;
        if let Some(question) = reply.text.lines().map(str::trim).find(|line| !line.is_empty()) {
            made.push(add(base, chunk, question.to_string(), Some(text_of(chunk)), "chat")?);
        }
    }
    Ok(made)
}

/// What a chat model reads of a chunk.
fn passage(chunk: &Chunk) -> String {
    let before = [chunk.title.as_deref(), chunk.heading.as_deref()].into_iter().flatten();
    before.chain([text_of(chunk).as_str()]).collect::<Vec<_>>().join("\n\n")
}

fn text_of(chunk: &Chunk) -> String {
    chunk.content.chars().take(MAX_PASSAGE).collect()
}
