//! Why a search finds nothing in the bases of this server.

use kb_rag_core::spread::{Hint, Hinted, Hints, HintsAsked, Id};

use super::{ids, over, uuid};
use crate::base::KnowledgeBase;
use crate::error::{Error, Result};
use crate::search::{filter_remark, remark};

/// So many questions a request has at most.
const MAX_HINTS: usize = 3;

/// The answers to questions about bases, in their order; none after one that says that all are empty.
pub fn hints(common: &Hints<Id>, own: &HintsAsked<Id>) -> Result<Vec<Hinted>> {
    let asked = common.hints.len();
    if asked > MAX_HINTS {
        return Err(Error::invalid(format!(
            "the request has {asked} questions, at most {MAX_HINTS} are allowed"
        ))
        .hint("Nodes of a cluster call this function. Use kb_search."));
    }
    over(&ids(&own.bases)?, common.agent.map(uuid), common.is_named, |bases| {
        let mut told = Vec::new();
        for hint in &common.hints {
            let answer = hinted(hint, &bases)?;
            let is_all = matches!(&answer, Hinted::Empty(empty) if empty.len() == bases.len());
            told.push(answer);
            if is_all {
                break;
            }
        }
        Ok(told)
    })
}

fn hinted(hint: &Hint, bases: &[KnowledgeBase]) -> Result<Hinted> {
    let names = |bases: Vec<&KnowledgeBase>| bases.into_iter().map(|base| base.name.clone()).collect();
    Ok(match hint {
        Hint::SourceTypes(wanted) => Hinted::SourceTypes(remark::other_source_types(bases, wanted)?),
        Hint::Keys { path, wanted } => Hinted::Keys(filter_remark::held(bases, path, wanted)?),
        Hint::Empty => Hinted::Empty(names(remark::empty(bases))),
        Hint::Waiting => Hinted::Waiting(names(remark::waiting(bases)?)),
    })
}
