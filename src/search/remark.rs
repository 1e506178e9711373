//! Notices, once a session, about searches that find nothing for a reason that the user may not know.

use kb_rag_core::spread::Circle;
use pgrx::{Uuid, pg_sys};

use super::{Mode, Request};
use crate::base::{self, Embed, KnowledgeBase};
use crate::error::{Error, Result};
use crate::postgres::relation;
use crate::postgres::spi::{self, Access, Arg, Planning};
use crate::postgres::test_point::test_limit;

/// At most this many documents of a base are read for their source type.
const MAX_READ: i64 = 10_000;
/// At most this many source types are named.
const MAX_TYPES: i32 = 5;

/// Notifies that nothing is attached to the agent.
pub fn of_agent(agent: Uuid) -> Result<()> {
    if !base::has_bases(agent)? {
        Error::remark(format!("agent {agent} has no knowledge base"))
            .hint("Attach one with kb_attach_agent.")
            .notify_once();
    }
    Ok(())
}

/// Notifies that the agent does not use its knowledge bases.
pub fn of_idle_agent(agent: Uuid) {
    Error::remark(format!("agent {agent} does not use its knowledge bases"))
        .hint("An administrator changes that with kb_agent_configure(agent_id, use_knowledge_base => true).")
        .notify_once();
}

/// Notifies of bases without vectors that a semantic search covers.
pub fn of_missing_vectors(mode: Mode, off: Vec<&str>) {
    if mode == Mode::Semantic && !off.is_empty() {
        let make = if off.len() == 1 { "makes" } else { "make" };
        Error::remark(format!("{} {make} no new vectors", base::named_by(&off)))
            .detail("The setting embed is \"off\": mode \"semantic\" finds only chunks that have a vector already.")
            .hint("Use mode => 'hybrid' or 'keyword', or kb_configure(…, embed => 'auto').")
            .notify_once();
    }
}

/// Notifies of bases none of whose chunks has a vector yet, of a semantic search that found nothing.
pub fn of_waiting_chunks(request: &Request, bases: &[KnowledgeBase]) -> Result<()> {
    if request.mode == Mode::Semantic {
        tell_waiting(&waiting(bases)?.iter().map(|base| base.name.as_str()).collect::<Vec<_>>());
    }
    Ok(())
}

/// The bases none of whose chunks has a vector yet.
pub fn waiting(bases: &[KnowledgeBase]) -> Result<Vec<&KnowledgeBase>> {
    let mut waiting = Vec::new();
    for base in bases.iter().filter(|base| base.settings.embed != Embed::Off) {
        let sql = spi::render(include_str!("all_wait.sql"), &[("schema", &base.quoted_schema())]);
        let found = base
            .read(|| spi::connect(|c| c.query_one(&sql, Access::Read, &[], |row| row.require::<bool>(1))))?;
        if found == Some(true) {
            waiting.push(base);
        }
    }
    Ok(waiting)
}

/// Notifies of such bases.
pub fn tell_waiting(bases: &[&str]) {
    if !bases.is_empty() {
        Error::remark(format!("no chunk of {} has a vector yet", base::named_by(bases)))
            .hint("Coverage and work left are in kb_rag.status; mode => 'hybrid' or 'keyword' finds chunks without vectors.")
            .notify_once();
    }
}

/// Notifies once a session that the model of some bases does not read something. `weight`, from 0 to 1, is that of its arm.
pub fn of_legibility(model: &str, bases: &[&str], what: &str, weight: f64, uses_keywords: bool) {
    let reads = if weight > 0.0 { "hardly reads" } else { "cannot read" };
    let effect = match (uses_keywords, weight > 0.0) {
        (false, _) => "Similarity says little about such texts.",
        (true, true) => "Keywords decide the order of the results; similarity counts little.",
        (true, false) => "The search used keywords only.",
    };
    let first = spi::quote_literal(bases.first().copied().unwrap_or_default());
    Error::remark(format!("model \"{model}\" of {} {reads} {what}", base::named_by(bases)))
        .detail(format!("Its vocabulary lacks most words of {what}. {effect}"))
        .hint(format!("Use a multilingual model, for example kb_configure({first}, model => 'local/multilingual-e5-small')."))
        .notify_once();
}

/// Warns of bases whose model cannot be used.
pub fn of_space(bases: &[&str], error: Error, uses_keywords: bool) {
    let are = if bases.len() == 1 { "is" } else { "are" };
    let instead = if uses_keywords { "searched by keyword only" } else { "left out" };
    error.warn(&format!("{} {are} {instead}", base::named_by(bases)));
}

/// Notifies that a search that found nothing had no words to search for, as PostgreSQL does.
pub fn of_stop_words() {
    Error::remark("text-search query contains only stop words or doesn't contain lexemes, ignored")
        .hint("Keyword search needs words that the text search configuration of the knowledge base does not leave out.")
        .notify_once();
}

/// Notifies of a search without a name where the caller may read no base.
pub fn of_no_base() {
    Error::remark("there is no knowledge base that the current role may read")
        .hint("kb_create makes a knowledge base; an administrator of an existing one can grant it with kb_grant.")
        .notify_once();
}

/// Notifies that there is no base, or, with a hint, of those that are left out because they are outside of the caller's circle.
pub fn of_circle(circle: &Circle, hint: &str) {
    if !circle.has_bases {
        of_no_base();
    }
    base::notify_of_outside(&circle.outside, hint);
}

/// Notifies that all bases are empty, of a search that found nothing in them, and tells whether they are.
pub fn of_empty(bases: &[KnowledgeBase]) -> bool {
    let empty = empty(bases);
    let is_empty = !bases.is_empty() && empty.len() == bases.len();
    if is_empty {
        tell_empty(&empty.iter().map(|base| base.name.as_str()).collect::<Vec<_>>());
    }
    is_empty
}

/// The bases whose table of chunks takes no space. Its rows are not looked for: policies would run over those that they hide.
pub fn empty(bases: &[KnowledgeBase]) -> Vec<&KnowledgeBase> {
    let is_empty =
        |base: &&KnowledgeBase| base.table(c"chunk").is_ok_and(|chunk| relation::pages(chunk) == Some(0));
    bases.iter().filter(is_empty).collect()
}

/// Notifies of such bases.
pub fn tell_empty(bases: &[&str]) {
    let are = if bases.len() == 1 { "is" } else { "are" };
    Error::remark(format!("{} {are} empty", base::named_by(bases)))
        .hint("Add documents with kb_add, or by INSERT into the table \"document\" of the schema of the knowledge base.")
        .notify_once();
}

/// Notifies that no document has the source type that a search without results asked for. Reads few documents: where there are
/// more, nothing is told.
pub fn of_source_type(wanted: Option<&str>, bases: &[KnowledgeBase]) -> Result<()> {
    let Some(wanted) = wanted else { return Ok(()) };
    if let Some(others) = other_source_types(bases, wanted)? {
        tell_source_types(wanted, &base::named(bases.iter()), others);
    }
    Ok(())
}

/// Source types of documents of the bases. None if one is `wanted`, or if that is not known.
pub fn other_source_types(bases: &[KnowledgeBase], wanted: &str) -> Result<Option<Vec<String>>> {
    let mut others = Vec::new();
    for base in bases {
        match source_types(base, wanted)? {
            Some(types) => others.extend(types),
            None => return Ok(None),
        }
    }
    Ok(Some(others))
}

/// Notifies that documents have other source types, if they have any. `of` names the bases.
pub fn tell_source_types(wanted: &str, of: &str, mut others: Vec<String>) {
    others.sort();
    others.dedup();
    others.truncate(MAX_TYPES as usize);
    if !others.is_empty() {
        Error::remark(format!("no document of {of} has source_type \"{wanted}\""))
            .hint(format!("Source types that documents have: {}.", others.join(", ")))
            .notify_once();
    }
}

/// Source types of the base's documents. None if one is `wanted`, or if that is not known.
fn source_types(base: &KnowledgeBase, wanted: &str) -> Result<Option<Vec<String>>> {
    // Searches do not need the column: its owner may have altered it.
    if !base.has_own_columns(c"document", &[(c"source_type", pg_sys::TEXTOID)]) {
        return Ok(None);
    }
    let sql = spi::render(include_str!("source_types.sql"), &[("schema", &base.quoted_schema())]);
    let found = base.read(|| {
        spi::connect(|c| {
            let args = [Arg::new(wanted), Arg::new(test_limit("max_read", MAX_READ)), Arg::new(MAX_TYPES)];
            c.query(&sql, Access::Read, Planning::Auto, &args, |row| {
                Ok((row.require::<bool>(1)?, row.get::<Vec<String>>(2)?))
            })
        })
    })?;
    Ok(match found.into_iter().next() {
        Some((false, types)) => Some(types.unwrap_or_default()),
        _ => None,
    })
}
