//! The similarity that results must exceed.

use std::collections::HashSet;

use kb_rag_core::fusion::Fused;

use super::arm::{Arm, Kind};
use super::{Candidate, Search};
use crate::base::{Embed, NO_THRESHOLD};
use crate::error::Result;
use crate::model;
use crate::queue;

/// The threshold in a base: the call's, or its own, or, for a call that asks for one in any case, that of its model, or the
/// call's for bases without one. None if there is none.
fn of_base(search: &Search, base: usize) -> Option<f64> {
    let Search { request, bases, .. } = search;
    let settings = &bases[base].settings;
    let own = request.match_threshold.or(settings.match_threshold);
    let otherwise = || {
        let otherwise = request.otherwise_threshold?;
        Some(model::threshold(&settings.space.model).unwrap_or(otherwise))
    };
    let given = own.or_else(otherwise);
    given.filter(|threshold| *threshold != NO_THRESHOLD)
}

/// Whether there is one in any base.
pub fn is_set(search: &Search) -> bool {
    (0..search.bases.len()).any(|base| of_base(search, base).is_some())
}

/// Leaves out hits whose similarity is not above the threshold. Those without a usable similarity stay: chunks without a
/// vector, and those of a model that cannot be used or does not read the texts.
pub fn keep_above(search: &Search, hits: &mut Vec<Fused<Candidate>>, arms: &[Arm]) {
    let thresholds: Vec<Option<f64>> = (0..search.bases.len()).map(|base| of_base(search, base)).collect();
    for arm in arms.iter().filter(|arm| arm.is_reliable()) {
        let below: HashSet<Candidate> = arm
            .hits
            .iter()
            .filter(|(id, similarity)| thresholds[id.base].is_some_and(|least| *similarity <= least))
            .map(|(id, _)| *id)
            .collect();
        hits.retain(|hit| !below.contains(&hit.id));
    }
}

/// Whether a deeper search can find nothing that stays: the semantic arm of every base has come down to the threshold, and
/// every chunk that keywords find has a similarity.
pub fn is_exhausted(search: &Search, arms: &[Arm]) -> Result<bool> {
    // Hits that only vectors found were left out, and keywords may find them deeper.
    if search.request.semantic_weight == 0.0 {
        return Ok(false);
    }
    let is_at_threshold = (0..search.bases.len()).all(|base| {
        let arm = arms.iter().find(|arm| matches!(arm.kind, Kind::Semantic { .. }) && arm.covers(base));
        arm.zip(of_base(search, base)).is_some_and(|(arm, least)| {
            let ends_below = arm
                .found
                .checked_sub(1)
                .and_then(|last| arm.hits.get(last))
                .is_some_and(|(_, s)| *s <= least);
            arm.is_reliable() && arm.lacks_none() && (ends_below || arm.is_exhausted())
        })
    });
    if !is_at_threshold {
        return Ok(false);
    }
    let more_words = arms.iter().any(|arm| matches!(arm.kind, Kind::Keyword) && !arm.is_exhausted());
    let Some(keyword) = search.keyword.as_ref().filter(|_| more_words) else { return Ok(true) };
    // Deeper ones may have no vector. Looking for them takes as long as a search over all chunks, so the queue is asked first
    // where it knows of them.
    for (place, base) in search.bases.iter().enumerate() {
        let may_lack = base.settings.embed == Embed::Off || queue::lacks_vectors(base.id)?;
        if may_lack && keyword.finds_without_vector(search, place)? {
            return Ok(false);
        }
    }
    Ok(true)
}
