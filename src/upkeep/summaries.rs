//! Summaries that a chat model makes of documents: turning them on and off, and what they take.

use kb_rag_core::manifest::PromptReference;
use kb_rag_core::model_name::ModelName;
use kb_rag_core::provider::tokens;
use kb_rag_core::summary;
use pgrx::pg_sys;

use super::estimate::Estimate;
use crate::agent;
use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::ingest;
use crate::lock::Lockable;
use crate::model;
use crate::postgres::interrupt;
use crate::postgres::role;
use crate::postgres::spi::{self, Access, Arg};
use crate::queue::{self, Kind};

/// The prompt that replaces the instructions, if a role made it that the owner of the base trusts.
const PROMPT: &str = "kb_summary";
/// Texts read at a time.
const FETCHED: i64 = 64;

/// What the chat model of a base is told. A prompt of another role would decide what is written into documents of the base: only one
/// of its owner, of a role that the owner is a member of, or of a superuser counts.
pub fn summary_instructions(base: &KnowledgeBase) -> Result<String> {
    let owner = base.owner_role()?;
    let reference = PromptReference { id: PROMPT.to_string(), version: None };
    match agent::referred_prompt(&reference) {
        Ok(prompt) if is_trusted(&prompt.owner, owner) => Ok(summary::instructions(Some(&prompt.content))),
        Ok(_) => Ok(summary::instructions(None)),
        Err(error) if error.is_not_found() => Ok(summary::instructions(None)),
        Err(error) => Err(error),
    }
}

fn is_trusted(name: &str, by: pg_sys::Oid) -> bool {
    // A superuser has the privileges of all roles, but does not trust them.
    let is_own = |role| role == by || !role::is_superuser(by) && role::has_privileges(by, role);
    role::find(name).is_some_and(|role| role::is_superuser(role) || is_own(role))
}

/// 22023, 42704, 42501 or 55000 unless the owner of the base may use this chat model.
pub(super) fn require_model(base: &KnowledgeBase, model: &str) -> Result<()> {
    model::open_chat(model, base.owner_role()?).map(drop)
}

/// Makes the table, and queues the documents that lack a text. Writers are locked out if the base had no model, since those that began
/// before queue nothing.
pub(super) fn begin(old: &KnowledgeBase, new: &KnowledgeBase, is_short: bool) -> Result<()> {
    if old.settings.summaries.is_none() || !new.has_summaries() {
        new.lock_out_writers(is_short)?;
    }
    new.create_summaries()?;
    // After the tables were locked, in the order of the workers. What failed with another model is tried again.
    queue::forget(new.id, Kind::Summary)?;
    let schema = new.quoted_schema();
    new.connect(|c| {
        ingest::tidy_summaries(c, new, &schema)?;
        ingest::enqueue_missing_summaries(c, new, &schema)
    })
}

/// Queues no more, and forgets what was queued. The texts that were made stay.
pub(super) fn end(base: &KnowledgeBase) -> Result<()> {
    queue::forget(base.id, Kind::Summary)
}

/// What this chat model would take for the documents that lack a text: one call each. The length of replies is a guess.
pub(super) fn estimate(base: &KnowledgeBase, name: &str) -> Result<Estimate> {
    let (kind, provider) = model::chat_provider(name, role::current_role())?;
    let name = ModelName::new(name);
    let each = tokens::estimate_tokens(&summary_instructions(base)?) + summary::REPLY_TOKENS;
    let (mut documents, mut tokens) = (0u64, 0u64);
    let sql = spi::render(include_str!("summarized_texts.sql"), &[("schema", &base.quoted_schema())]);
    base.read(|| {
        spi::connect(|c| {
            let args = [Arg::new(summary::MAX_CHARACTERS as i32)];
            let cursor = c.cursor(&sql, &args)?;
            loop {
                let rows = cursor.fetch(FETCHED, |row| {
                    let title: Option<String> = row.get(1)?;
                    let text = summary::text(title.as_deref(), &row.require::<String>(2)?);
                    Ok(each + tokens::estimate_tokens(&text))
                })?;
                if rows.is_empty() {
                    break;
                }
                documents += rows.len() as u64;
                tokens += rows.iter().sum::<u64>();
                interrupt::check_for_interrupts();
            }
            cursor.close();
            Ok(())
        })
    })?;
    let count = i64::try_from(documents).unwrap_or(i64::MAX);
    Ok(Estimate {
        cost: provider.price_of(kind, name.model()).map(|price| price * tokens as f64 / 1e6),
        model: name.to_string(),
        chunks: count,
        tokens: i64::try_from(tokens).unwrap_or(i64::MAX),
        calls: count,
    })
}

/// The base of this name with what a chat model would take; 22023 beside arguments about vectors.
pub(super) fn estimate_of(knowledge_base: &str, name: &str, has_other: bool) -> Result<Estimate> {
    if has_other {
        return Err(Error::invalid("summaries cannot be estimated together with vectors")
            .hint("Give summaries without model and outdated."));
    }
    estimate(&base::by_name(knowledge_base, Access::Read)?, name)
}
