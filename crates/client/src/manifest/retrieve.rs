//! `kb-rag retrieve`: what an agent is given before it answers. A failure is a warning: the agent answers without.

use std::time::{Duration, Instant};

use kb_rag_core::context::SEPARATOR;
use kb_rag_core::conversation::{self, Message, Role};
use kb_rag_core::manifest::{External, Pgvector, Router as RouterBlock, Search};
use kb_rag_core::rewrite;

use super::collection::{self, Collection};
use super::endpoint::Endpoint;
use super::http::variable;
use super::router::Router;
use super::{Manifest, file};
use crate::cli::Retrieve;
use crate::error::{FAILED, Failure, Result};
use crate::{input, output};

/// The time for a retrieval from a table, with the models.
pub const MAX_TIME: Duration = Duration::from_secs(30);
/// The most bytes of the text of a prompt.
const MAX_PROMPT_BYTES: u64 = 65_536;

/// Prints the texts. Returns the exit status.
///
/// # Errors
/// Status 2 for what is wrong before anything is asked.
pub async fn retrieve(arguments: Retrieve) -> Result<u8> {
    let mut warnings = Warnings::default();
    let texts = texts(&arguments, &mut warnings).await?;
    match arguments.json {
        true => output::line(&serde_json::Value::from(texts).to_string()),
        false if texts.is_empty() => {}
        false => output::line(&texts.join(SEPARATOR)),
    }
    Ok(if arguments.strict && warnings.count > 0 { FAILED } else { 0 })
}

/// Failures that do not end the run.
#[derive(Default)]
struct Warnings {
    count: usize,
}

impl Warnings {
    fn warn(&mut self, instead: &str, failure: &Failure) {
        self.count += 1;
        output::error(&format!("warning: {instead}: {failure}"));
    }
}

async fn texts(arguments: &Retrieve, warnings: &mut Warnings) -> Result<Vec<String>> {
    if arguments.messages.as_deref().is_some_and(|path| input::is_same_input(path, &arguments.file.manifest))
    {
        return Err(Failure::usage("--manifest and --messages are both standard input")
            .hint("Give one of them as a file."));
    }
    let manifest = Manifest::read(&arguments.file)?;
    let messages = messages(arguments)?;
    let Some((search, router)) = manifest.block()? else {
        output::error("note: the manifest has no search block: the agent runs without retrieval");
        return Ok(Vec::new());
    };
    let found = match search {
        Search::Pgvector(block) => {
            let table = Table::open(&block, router, arguments)?;
            let work = table.texts(&messages, warnings);
            match tokio::time::timeout(MAX_TIME, work).await {
                Ok(found) => found,
                Err(_) => Err(late()),
            }
        }
        Search::External(block) => external(block, &messages, arguments).await?,
    };
    Ok(found.unwrap_or_else(|failure| {
        warnings.warn("nothing was retrieved", &failure);
        Vec::new()
    }))
}

fn messages(arguments: &Retrieve) -> Result<Vec<Message>> {
    if let Some(question) = &arguments.question {
        return Ok(vec![Message { role: Role::Customer, content: question.clone() }]);
    }
    let Some(path) = &arguments.messages else { return Ok(Vec::new()) };
    conversation::parse(&file::messages(path)?).map_err(|mistake| {
        Failure::usage(mistake)
            .hint("Give an array of objects with role and content, as in [{\"role\": \"user\", \"content\": \"…\"}].")
    })
}

fn late() -> Failure {
    Failure::new(format!("the retrieval took longer than {} s", MAX_TIME.as_secs())).hint(
        "Create an HNSW index for the cosine distance on the vectors, and check how long the models take.",
    )
}

/// The outer error is one of the manifest, the inner one of the endpoint.
async fn external(
    block: External,
    messages: &[Message],
    arguments: &Retrieve,
) -> Result<Result<Vec<String>>> {
    let endpoint = Endpoint::open(block)?;
    let [session, agent] = [arguments.session_id.as_deref(), arguments.agent_id.as_deref()];
    Ok(endpoint.texts(session, agent, messages).await)
}

/// A retrieval from a table, with everything that it needs from files and the environment.
struct Table<'a> {
    block: &'a Pgvector,
    router: Router,
    password: String,
    prompt: Option<String>,
    is_rewritten: bool,
}

impl<'a> Table<'a> {
    fn open(block: &'a Pgvector, router: RouterBlock, arguments: &Retrieve) -> Result<Table<'a>> {
        let prompt = arguments.prompt.as_ref();
        let prompt = prompt.map(|path| input::text(path, "prompt", MAX_PROMPT_BYTES)).transpose()?;
        let has_chat = router.chat_model.is_some() && !arguments.no_rewrite;
        if let (Some(named), None, true) = (&block.prompt, &prompt, has_chat) {
            output::error(&format!(
                "note: the text of prompt \"{}\" is not in the manifest: give it with --prompt",
                named.id
            ));
        }
        let password = variable("password", &block.password)?;
        Ok(Table {
            block,
            router: Router::open(router)?,
            password,
            prompt,
            is_rewritten: !arguments.no_rewrite,
        })
    }

    async fn texts(&self, messages: &[Message], warnings: &mut Warnings) -> Result<Vec<String>> {
        let until = Instant::now() + MAX_TIME;
        let left = || until.saturating_duration_since(Instant::now());
        let Some(last) = conversation::last_of_customer(messages) else {
            return Err(Failure::new("the conversation has no message of a customer")
                .hint("The query is the last message whose role is customer, user or human."));
        };
        // Before anything is paid for.
        let session = collection::connect(self.block, &self.password, left()).await?;
        let collection = Collection::find(session, self.block).await?;
        let rewritten = match self.is_rewritten {
            true => self.router.rewrite(self.prompt.as_deref(), messages, left()).await,
            false => None,
        };
        let query = match rewritten {
            Some(Ok(query)) => query,
            Some(Err(failure)) => {
                warnings.warn("the query is the last message of the customer", &failure);
                last.to_string()
            }
            None => last.to_string(),
        };
        let query = rewrite::beginning(&query, rewrite::MAX_QUERY_CHARACTERS);
        let Pgvector { embedding_model, embedding_dimensions, .. } = self.block;
        let vector = self.router.embed(embedding_model, *embedding_dimensions, query, left()).await?;
        collection.nearest(&vector).await
    }
}
