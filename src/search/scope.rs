//! Which knowledge bases a search covers.

use pgrx::Uuid;

use crate::base::{self, KnowledgeBase, MAX_BASES};
use crate::error::{Error, Result};
use crate::spi::Access;

/// Runs `work` over the bases in scope, as [`base::pinned`] does.
pub fn over<T>(
    knowledge_base: Option<&str>,
    agent: Option<Uuid>,
    work: impl FnOnce(&[KnowledgeBase]) -> Result<T>,
) -> Result<T> {
    base::pinned(|| resolve(knowledge_base, agent), |bases| work(&bases))
}

/// The base of that name; or exactly those attached to the agent; or, with neither, all the caller may read.
fn resolve(knowledge_base: Option<&str>, agent: Option<Uuid>) -> Result<Vec<KnowledgeBase>> {
    let bases = match (knowledge_base, agent) {
        (Some(name), None) => vec![base::by_name(name, Access::Read)?],
        (None, Some(agent)) => base::of_agent(agent)?,
        (None, None) => base::searchable()?,
        (Some(_), Some(_)) => {
            return Err(
                Error::invalid("knowledge_base and agent_id are both given").hint("Give one of them.")
            );
        }
    };
    if bases.len() > MAX_BASES {
        return Err(Error::limit(format!("the search covers {} knowledge bases", bases.len())).hint(format!(
            "At most {MAX_BASES} are searched at once; name one, or attach those that matter to an agent with kb_attach_agent."
        )));
    }
    Ok(bases)
}

/// Similarities of different models do not compare: 22023 that names both.
pub fn require_one_model(bases: &[KnowledgeBase]) -> Result<()> {
    let Some((first, rest)) = bases.split_first() else {
        return Ok(());
    };
    match rest.iter().find(|base| base.settings.model != first.settings.model || base.settings.dimensions != first.settings.dimensions) {
        None => Ok(()),
        Some(other) => Err(Error::invalid(format!(
            "knowledge bases \"{}\" and \"{}\" have different models: \"{}\" ({} dimensions) and \"{}\" ({} dimensions)",
            first.name, other.name, first.settings.model, first.settings.dimensions, other.settings.model, other.settings.dimensions
        ))
        .hint("Give the text of the query to kb_hybrid_search instead of a vector: it is embedded once per model.")),
    }
}
