//! BM25 with a bonus for words that are near to each other: a second stage over the best chunks of a hybrid search. A search by
//! keyword alone stays exact.

use std::collections::HashMap;

use kb_rag_core::fusion::by_score;
use kb_rag_core::lexeme::Proximity;
use pgrx::Uuid;

use super::{InBase, bm25};
use crate::error::Result;
use crate::search::Mode;

/// So many of the best chunks get the bonus: one row is read for each.
const DEPTH: usize = 80;

/// The bonus of a question; None if there is nothing to look for.
fn proximity(of: &InBase) -> Option<Proximity> {
    if of.request.mode != Mode::Hybrid || !of.has_lexemes() {
        return None;
    }
    let frequency = |lexeme: &str| of.pool.frequency(lexeme);
    Some(Proximity::new(&of.query.words, of.pool.chunks, frequency)).filter(|found| !found.is_empty())
}

/// As [`bm25::best`], with the bonus for the first 80: the others follow them.
pub fn best(of: &InBase, depth: usize, needed: usize) -> Result<Vec<(Uuid, f64)>> {
    let Some(proximity) = proximity(of) else { return bm25::best(of, depth, needed) };
    let mut found = bm25::best(of, depth.max(DEPTH), needed.max(DEPTH))?;
    let rest = found.split_off(DEPTH.min(found.len()));
    let ids = found.iter().map(|(id, _)| *id).collect();
    let bonus: HashMap<Uuid, f64> =
        bm25::of_chunks(of, ids, |vector, _| proximity.of(vector))?.into_iter().collect();
    for (id, score) in &mut found {
        *score += bonus.get(id).copied().unwrap_or_default();
    }
    found.sort_by(by_score);
    found.extend(rest);
    found.truncate(depth);
    Ok(found)
}

/// As [`bm25::scores`], with the bonus: of chunks that another arm found.
pub fn scores(of: &InBase, chunks: Vec<Uuid>) -> Result<Vec<(Uuid, f64)>> {
    match proximity(of) {
        Some(proximity) => {
            let scorer = bm25::scorer(of);
            bm25::scores_of(of, chunks, |vector, length| {
                let score = scorer.score(vector, length);
                Some(if score > 0.0 { score + proximity.of(vector) } else { score })
            })
        }
        None => bm25::scores(of, chunks),
    }
}
