//! kb_check_search: every mistake of a block, before a customer finds it.

use kb_rag_core::manifest::{self, External, Parsed, Pgvector, Search};

use super::table::Collection;
use super::{endpoint, mistake, table, value_of};
use crate::agent;
use crate::error::{Error, Result};
use crate::model;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::role;
use crate::postgres::server;
use crate::postgres::subtransaction;
use crate::settings;

/// Raises the mistakes of a block, the first with the others in its detail, and one of privileges before all others. No provider
/// is called. Notifies of a block that is not there.
pub fn check(search: Option<Jsonb>) -> Result<()> {
    let value = search.as_ref().map(value_of).transpose()?;
    let Some(block) = value.as_ref().and_then(manifest::block_of) else {
        Error::remark("there is no search block: the agent runs without retrieval").notify();
        return Ok(());
    };
    let parsed = manifest::parse(block);
    let mut errors: Vec<Error> = parsed.mistakes.iter().map(mistake).collect();
    match &parsed.search {
        Some(Search::Pgvector(block)) => check_table(block, &parsed, &mut errors)?,
        Some(Search::External(block)) => check_endpoint(block, &parsed, &mut errors)?,
        None => {}
    }
    errors.sort_by_key(|error| !error.is_denied());
    match Error::of_several(errors) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// Keeps the error of a step. One that ends the work is raised.
fn step<T>(errors: &mut Vec<Error>, work: impl FnOnce() -> Result<T>) -> Result<Option<T>> {
    match subtransaction::attempt(work) {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.ends_work() => Err(error),
        Err(error) => {
            errors.push(error);
            Ok(None)
        }
    }
}

fn check_table(block: &Pgvector, parsed: &Parsed, errors: &mut Vec<Error>) -> Result<()> {
    if parsed.is_right("embedding_model") && parsed.is_right("embedding_dimensions") {
        step(errors, || table::embedding_model(block).map(drop))?;
    }
    let mut has_key = None;
    if parsed.is_right("collection") && parsed.is_right("embedding_dimensions") {
        has_key = step(errors, || Collection::open(block)?.check(block))?.flatten();
    }
    if let Some(prompt) = block.prompt.as_ref().filter(|_| parsed.is_right("prompt")) {
        step(errors, || agent::referred_prompt(prompt).map(drop))?;
    }
    if let Some(dbname) = &block.dbname {
        let current = server::current_database()?;
        if *dbname != current {
            errors.push(
                Error::invalid(format!("dbname \"{dbname}\" is not the current database"))
                    .hint(format!(
                        "This database is \"{current}\", and kb_retrieve reads it alone; kb-rag retrieve reads the one at hostname."
                    )),
            );
        }
    }
    if has_key == Some(false) && parsed.is_right("content_key") {
        Error::remark(format!("the first rows of the collection have no key \"{}\"", block.content_key))
            .hint("Set content_key to the key of the metadata whose value is the text.")
            .notify();
    }
    if parsed.is_right("hostname") && !server::is_own_name(&block.hostname)? {
        Error::remark(format!("hostname \"{}\" may not be this server", block.hostname))
            .detail("The collection is searched in this database, whatever the host.")
            .hint("The program kb-rag (kb-rag retrieve) searches the one at hostname.")
            .notify();
    }
    notify_of_chat_model(block)
}

/// What keeps conversations from being rewritten is no mistake of the block: then the last message is the query.
fn notify_of_chat_model(block: &Pgvector) -> Result<()> {
    match settings::chat_model() {
        Some(model) => {
            match subtransaction::attempt(|| model::open_chat(&model, role::current_role()).map(drop)) {
                Err(error) if error.ends_work() => return Err(error),
                Err(error) => error.warn("the query would be the last message of the customer"),
                Ok(()) => {}
            }
        }
        None if block.prompt.is_some() => Error::remark("the prompt is not used without a chat model")
            .hint("Set kb_rag.chat_model.")
            .notify(),
        None => {}
    }
    Ok(())
}

fn check_endpoint(block: &External, parsed: &Parsed, errors: &mut Vec<Error>) -> Result<()> {
    if !(parsed.is_right("hostname") && parsed.is_right("port")) {
        return Ok(());
    }
    let role = role::current_role();
    let Some(provider) = step(errors, || endpoint::provider_for(block, role))? else { return Ok(()) };
    if parsed.is_right("api_key") {
        step(errors, || endpoint::service(block, &provider, role).map(drop))?;
    }
    step(errors, || provider.require_reachable())?;
    Ok(())
}
