//! Why a search finds nothing in the bases of this server.

use kb_rag_core::spread::{Hint, Hinted, Hints, HintsAsked, Id};

use super::{ids, over, uuid};
use crate::error::Result;
use crate::search::{filter_remark, remark};

/// The answer to a question about bases.
pub fn hints(common: &Hints<Id>, own: &HintsAsked<Id>) -> Result<Hinted> {
    over(&ids(&own.bases)?, common.agent.map(uuid), common.is_named, |bases| {
        Ok(match &common.hint {
            Hint::SourceTypes(wanted) => Hinted::SourceTypes(remark::other_source_types(&bases, wanted)?),
            Hint::Keys { path, names } => Hinted::Keys(filter_remark::held(&bases, path, names)?),
            Hint::Empty => {
                Hinted::Empty(remark::empty(&bases).into_iter().map(|base| base.name.clone()).collect())
            }
            Hint::Waiting => {
                let waiting = remark::waiting(&bases)?;
                Hinted::Waiting(waiting.into_iter().map(|base| base.name.clone()).collect())
            }
        })
    })
}
