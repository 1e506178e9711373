//! `kb-rag check`: every mistake of a manifest's search slot, before a customer finds it. One finding a line.

use std::fmt;

use kb_rag_core::conversation::{Message, Role};
use kb_rag_core::manifest::table::Index;
use kb_rag_core::manifest::{External, Parsed, Pgvector, Router as RouterBlock, Search};
use kb_rag_core::plural::counted;
use kb_rag_core::provider::Kind;

use super::Manifest;
use super::collection::{self, Collection, Plan, Sample};
use super::endpoint::Endpoint;
use super::http::variable;
use super::retrieve::MAX_TIME;
use super::router::{self, Router};
use crate::cli::Check;
use crate::error::{FAILED, Failure, Result, shown};
use crate::output;

/// From this many rows on, a search without an index takes long.
const MANY_ROWS: f64 = 10_000.0;
/// The question that endpoints and models are asked.
const QUESTION: &str = "test";

/// The severity of a finding.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Ok,
    Note,
    Warning,
    Error,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Ok => "ok",
            Level::Note => "note",
            Level::Warning => "warning",
            Level::Error => "error",
        })
    }
}

/// Prints findings as they come, and counts the errors.
#[derive(Default)]
struct Findings {
    errors: usize,
}

impl Findings {
    fn add(&mut self, level: Level, text: &str) {
        self.errors += usize::from(level == Level::Error);
        output::line(&format!("{level}: {}", shown(text)));
    }

    fn fail(&mut self, failure: &Failure) {
        let more: Vec<&str> =
            [&failure.detail, &failure.hint].into_iter().flatten().map(String::as_str).collect();
        match more.is_empty() {
            true => self.add(Level::Error, &failure.message),
            false => self.add(Level::Error, &format!("{} ({})", failure.message, more.join(" "))),
        }
    }

    /// The value of a step. None after its failure, which is a finding.
    fn step<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|failure| self.fail(&failure)).ok()
    }
}

/// Prints the findings. Returns the exit status.
///
/// # Errors
/// Status 2 if the file cannot be read.
pub async fn check(arguments: Check) -> Result<u8> {
    let Manifest { parsed, router, router_mistakes } = Manifest::read(&arguments.file)?;
    let mut findings = Findings::default();
    let Some(parsed) = parsed else {
        findings.add(Level::Note, "there is no search block: the agent runs without retrieval");
        return Ok(0);
    };
    let is_table = matches!(parsed.search, Some(Search::Pgvector(_)));
    let of_router = router_mistakes.iter().filter(|_| is_table);
    let mistakes: Vec<_> = parsed.mistakes.iter().chain(of_router).collect();
    for mistake in &mistakes {
        findings.add(Level::Error, &format!("{} ({})", mistake.message, mistake.hint));
    }
    if mistakes.is_empty() {
        findings.add(Level::Ok, "the fields of the search block are valid");
    }
    match &parsed.search {
        Some(Search::Pgvector(block)) => {
            let router = check_router(router, router_mistakes.is_empty(), block, &mut findings);
            let is_checked = check_table(block, &parsed, &mut findings);
            if tokio::time::timeout(MAX_TIME, is_checked).await.is_err() {
                findings.add(
                    Level::Error,
                    &format!("the database did not answer within {} s", MAX_TIME.as_secs()),
                );
            }
            if let Some(router) = router {
                match arguments.models {
                    true => check_models(&router, block, &mut findings).await,
                    false => findings.add(Level::Note, "the models were not asked (--models asks them)"),
                }
            }
        }
        Some(Search::External(block)) => check_endpoint(block, &parsed, &mut findings).await,
        None => {}
    }
    Ok(if findings.errors == 0 { 0 } else { FAILED })
}

fn check_router(
    block: RouterBlock,
    is_right: bool,
    table: &Pgvector,
    findings: &mut Findings,
) -> Option<Router> {
    if table.prompt.is_some() {
        let text = match block.chat_model.is_some() {
            true => "the text of the prompt is not in the manifest (kb-rag retrieve takes it with --prompt)",
            false => "the prompt is not used without a chat model (llms.default)",
        };
        findings.add(Level::Note, text);
    }
    if block.chat_model.is_none() {
        findings.add(
            Level::Note,
            "the query is the last message of the customer: llms.default names no chat model",
        );
    }
    if !is_right {
        return None;
    }
    if block.base_url.is_none() {
        findings.fail(&router::missing());
        return None;
    }
    findings.step(Router::open(block))
}

async fn check_table(block: &Pgvector, parsed: &Parsed, findings: &mut Findings) {
    let facts = Kind::OpenAi.facts(&block.embedding_model);
    if let (Some(max), true) = (facts.max_dimensions(), parsed.is_right("embedding_dimensions"))
        && usize::try_from(block.embedding_dimensions).is_ok_and(|wanted| wanted > max)
    {
        findings.fail(
            &Failure::new(format!(
                "model \"{}\" cannot return {} dimensions",
                block.embedding_model, block.embedding_dimensions
            ))
            .hint(format!("Use 1 to {max}.")),
        );
    }
    let needed = ["hostname", "port", "user", "password", "dbname", "sslmode"];
    if !parsed.is_right("password") {
        return;
    }
    let Some(password) = findings.step(variable("password", &block.password)) else { return };
    if needed.iter().any(|field| !parsed.is_right(field)) {
        return;
    }
    let Some(session) = findings.step(collection::connect(block, &password, MAX_TIME).await) else { return };
    findings.add(Level::Ok, &format!("connected to {}, port {}", block.hostname, block.port));
    if !(parsed.is_right("collection") && parsed.is_right("embedding_dimensions")) {
        return;
    }
    let Some(collection) = findings.step(Collection::find(session, block).await) else { return };
    let dimensions = match collection.dimensions {
        Some(dimensions) => format!("vectors of {dimensions} dimensions in \"{}\"", collection.embedding),
        None => format!("vectors in \"{}\"", collection.embedding),
    };
    findings.add(
        Level::Ok,
        &format!(
            "collection {} has {dimensions} and documents in \"{}\"",
            collection.name, collection.metadata
        ),
    );
    // After an error of the server, its transaction is over.
    let goes_on = match parsed.is_right("content_key") && parsed.is_right("metadata_filter") {
        true => check_rows(block, &collection, findings).await.is_some(),
        false => true,
    };
    if goes_on && let Some(plan) = findings.step(collection.plan().await) {
        add_plan(&plan, &collection, findings);
    }
}

fn add_plan(plan: &Plan, collection: &Collection<'_>, findings: &mut Findings) {
    let rows = counted(plan.rows as u64, "row");
    let (level, text) = match (&plan.index, collection.index) {
        (Some(index), _) => (Level::Ok, format!("the search uses the index \"{index}\"")),
        (None, Index::Hnsw | Index::IvfFlat { .. }) => (
            Level::Note,
            format!(
                "the search compares all vectors, of about {rows}: PostgreSQL expects that to be faster than the vector index, or the index \
                 is not for the cosine distance (vector_cosine_ops)"
            ),
        ),
        (None, _) if plan.rows >= MANY_ROWS => (
            Level::Warning,
            format!(
                "the search compares all vectors, of about {rows} (Create an HNSW index for the cosine distance on \"{}\".)",
                collection.embedding
            ),
        ),
        (None, _) => {
            (Level::Note, format!("the search compares all vectors, of about {rows}, without an index"))
        }
    };
    findings.add(level, &text);
}

/// None if the server failed.
async fn check_rows(block: &Pgvector, collection: &Collection<'_>, findings: &mut Findings) -> Option<()> {
    let all = findings.step(collection.sample(false).await)?;
    if all.rows == 0 {
        findings.add(Level::Warning, "the collection has no rows with a vector");
        return Some(());
    }
    let sample = match block.metadata_filter.is_empty() {
        true => all,
        false => findings.step(collection.sample(true).await)?,
    };
    let Sample { rows, with_key, .. } = sample;
    let key = &block.content_key;
    match (rows, with_key) {
        (0, _) => findings.add(Level::Warning, "no row passes metadata_filter"),
        (_, 0) => findings.fail(
            &Failure::new(format!("none of the first {} has the key \"{key}\"", counted(rows, "row")))
                .hint("Set content_key to the key of the metadata whose value is the text."),
        ),
        (rows, with_key) if with_key < rows => findings.add(
            Level::Warning,
            &format!("of the first {}, {with_key} have the key \"{key}\"", counted(rows, "row")),
        ),
        (rows, _) => findings.add(
            Level::Ok,
            &format!(
                "the first {} of the collection {} the key \"{key}\"",
                counted(rows, "row"),
                if rows == 1 { "has" } else { "have" }
            ),
        ),
    }
    Some(())
}

fn question() -> [Message; 1] {
    [Message { role: Role::Customer, content: QUESTION.to_string() }]
}

async fn check_models(router: &Router, block: &Pgvector, findings: &mut Findings) {
    let Pgvector { embedding_model: model, embedding_dimensions: dimensions, .. } = block;
    let vector = router.embed(model, *dimensions, QUESTION, MAX_TIME).await;
    if findings.step(vector).is_some() {
        findings.add(Level::Ok, &format!("model \"{model}\" returns vectors of {dimensions} dimensions"));
    }
    if let Some(query) = router.rewrite(None, &question(), MAX_TIME).await
        && findings.step(query).is_some()
    {
        findings.add(Level::Ok, "the chat model rewrites a question");
    }
}

async fn check_endpoint(block: &External, parsed: &Parsed, findings: &mut Findings) {
    if !parsed.mistakes.is_empty() {
        return;
    }
    let Some(endpoint) = findings.step(Endpoint::open(block.clone())) else { return };
    if let Some(texts) = findings.step(endpoint.texts(None, None, &question()).await) {
        let name = endpoint.name();
        findings.add(Level::Ok, &format!("{name} answered a question with {}", counted(texts.len(), "text")));
    }
}
