//! The second part of a round: every candidate gets its score in every arm, and the arms become one list.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::mem;

use super::arm::{self, Arm};
use super::query::Combination;
use super::{
    Action, Candidate, Documents, Fusion, Id, KeywordScores, Remark, Search, Similarities, weight_of,
};
use crate::fusion::{self, Fused};

impl<I: Id, E> Search<I, E> {
    /// Makes the arms of this round, and asks for the scores of their candidates in the arms that did not find them: normalized
    /// scores are comparable only if "not among the best" is told apart from "nothing in common". By rank, those without a vector
    /// need to be known, but only where it could change the results, and those that the vector index missed.
    pub(super) fn complete(&mut self) -> Vec<Action<I>> {
        self.make_arms();
        if self.error.is_some() {
            return Vec::new();
        }
        let is_by_rank = self.query.fuses_ranks();
        let mut actions = self.ask_held();
        // By score, all candidates are compared.
        self.first = is_by_rank.then(|| arm::first_by_keyword(&self.arms));
        let all: BTreeSet<Candidate<I>> =
            self.arms.iter().flat_map(|arm| &arm.hits).map(|(id, _)| *id).collect();
        let compared = self.possible_results().map(|mut possible| {
            possible.extend(self.first.iter().flatten());
            possible
        });
        for arm in self.arms.iter_mut().filter(|arm| arm.is_completed(is_by_rank)) {
            let wanted = compared.as_ref().filter(|_| !arm.is_keyword()).unwrap_or(&all);
            let own: BTreeSet<Candidate<I>> = arm.hits.iter().map(|(id, _)| *id).collect();
            let missing = wanted.difference(&own).filter(|id| arm.covers(self.bases[id.base].space));
            arm.missing = missing.copied().collect();
            if !arm.is_usable() {
                continue;
            }
            let known = if arm.is_keyword() { &self.keyword_scores } else { &self.similarities };
            let mut asked: BTreeMap<usize, Vec<I>> = BTreeMap::new();
            for id in arm.missing.iter().filter(|id| !known.contains_key(id)) {
                asked.entry(id.base).or_default().push(id.chunk);
            }
            actions.extend(asked.into_iter().map(|(base, ids)| match arm.kind {
                arm::Kind::Keyword => Action::KeywordScores(KeywordScores { base, ids }),
                arm::Kind::Semantic { space, .. } => Action::Similarities(Similarities { base, space, ids }),
            }));
        }
        actions
    }

    /// The keyword arm, and the semantic arm of each space, in the same order in every round. No semantic arms if they find
    /// nothing: those tell nothing apart.
    fn make_arms(&mut self) {
        self.arms.clear();
        if let Some(weight) = self.query.keyword {
            let hits = mem::take(&mut self.by_keyword);
            self.arms.push(Arm::with_next(arm::Kind::Keyword, weight, hits, self.depth));
        }
        let Some(weight) = self.query.semantic else { return };
        let depth = self.semantic_depth();
        let weighs_reading = self.query.uses_keywords();
        let spaces = self.spaces.iter_mut().enumerate();
        let mut arms: Vec<Arm<I>> =
            spaces.map(|(number, space)| space.arm(number, weight, weighs_reading, depth)).collect();
        self.do_without(arms.iter().any(Arm::is_usable));
        // An arm that cannot be used only tells which candidates of keyword search have no similarity.
        if !self.query.uses_keywords() {
            arms.retain(Arm::is_usable);
        }
        if arms.iter().any(|arm| arm.found > 0) {
            let factor = self.held.map_or(1.0, |held| weight_of(held, self.query.fuses_ranks()));
            self.arms.iter_mut().for_each(|by_keyword| by_keyword.weight *= factor);
            self.arms.append(&mut arms);
        }
    }

    /// Remarks on the spaces whose model cannot be used: results of keyword search or of other bases are worth more than an error.
    /// The first error if there is neither.
    fn do_without(&mut self, finds_others: bool) {
        for (space, error) in mem::take(&mut self.failed) {
            if !self.query.uses_keywords() && !finds_others {
                self.error = Some(error);
                return;
            }
            self.remarks.push(Remark::WithoutSpace { space, error });
        }
    }

    /// See [`arm::possible_results`]. None if not each of the best hits is a result.
    fn possible_results(&self) -> Option<BTreeSet<Candidate<I>>> {
        let takes_best = self.query.fuses_ranks()
            && self.query.keeps_all()
            && self.query.adds_by_vectors()
            && self
                .bases
                .iter()
                .all(|base| base.threshold.is_none() && base.gate.is_none() && base.exact.is_none());
        let hits = takes_best.then(|| self.fuse())?;
        arm::possible_results(&self.query, &self.arms, &hits, |id| self.bases[id.base].space)
    }

    /// The similarities of chunks that another arm found; those without a vector are left out.
    pub fn compared(&mut self, action: Similarities<I>, scores: Result<Vec<(I, f64)>, E>) {
        let scores = self.or_nothing(scores);
        keep(&mut self.similarities, action.base, action.ids, scores);
    }

    /// The scores by keyword of chunks that another arm found; 0 for those without a word of the question.
    pub fn scored(&mut self, action: KeywordScores<I>, scores: Result<Vec<(I, f64)>, E>) {
        let scores = self.or_nothing(scores);
        keep(&mut self.keyword_scores, action.base, action.ids, scores);
    }

    /// Adds to the arms the scores of candidates that other arms found.
    fn add_scores(&mut self) {
        for arm in &mut self.arms {
            let known = if arm.is_keyword() { &self.keyword_scores } else { &self.similarities };
            for id in mem::take(&mut arm.missing) {
                match known.get(&id).copied().flatten().filter(|_| arm.is_usable()) {
                    Some(score) => arm.hits.push((id, score)),
                    None => arm.incomparable.push(id),
                }
            }
        }
    }

    /// Fuses the arms, leaves out what is not to be found, and asks for the documents and texts of the rest as far as they matter.
    pub(super) fn fuse_arms(&mut self) -> Vec<Action<I>> {
        let first = self.first.take();
        let is_by_rank = self.query.fuses_ranks();
        self.add_scores();
        for arm in self.arms.iter_mut().filter(|arm| arm.is_completed(is_by_rank)) {
            arm.rank_missed(is_by_rank, |id| first.as_ref().is_none_or(|first| first.contains(id)));
        }
        let mut hits = self.fuse();
        if self.query.semantic == Some(0.0) {
            arm::keep_found_by_keyword(&mut hits, &self.arms);
        }
        self.look_at_gates();
        self.keep_above_threshold(&mut hits);
        self.found.add(hits, &self.arms);
        self.ask_documents().into_iter().chain(self.ask_texts()).collect()
    }

    fn ask_documents(&self) -> Option<Action<I>> {
        self.query.max_per_document?;
        let hits = self.found.hits.iter().map(|hit| hit.id);
        let ids: Vec<Candidate<I>> = hits.filter(|id| !self.documents.contains_key(id)).collect();
        (!ids.is_empty()).then_some(Action::Documents(Documents { ids }))
    }

    /// Fuses the arms. One arm alone keeps its own scores.
    fn fuse(&self) -> Vec<Fused<Candidate<I>>> {
        let weighted: Vec<fusion::Arm<Candidate<I>>> = self.arms.iter().map(Arm::fused).collect();
        let by_rank = || fusion::reciprocal_rank_fusion(&weighted, self.query.rrf_k);
        match self.query.combination {
            Combination::Fused(Fusion::ReciprocalRank) => by_rank(),
            Combination::Fused(Fusion::RelativeScore) => fusion::relative_score_fusion(&weighted),
            Combination::Own => match self.arms.as_slice() {
                [arm] => arm.own_list(),
                _ => by_rank(),
            },
        }
    }

    /// Leaves out hits behind a closed gate, and those whose similarity is not above the threshold. Those without a usable similarity
    /// stay: chunks without a vector, and those of a model that cannot be used or does not read the texts. In a search for answers,
    /// chunks of the last kind need a word of the question.
    fn keep_above_threshold(&self, hits: &mut Vec<Fused<Candidate<I>>>) {
        let with_words = match (0..self.bases.len()).any(|base| self.needs_word(base)) {
            true => arm::with_words(&self.arms),
            false => HashSet::new(),
        };
        let is_by_rank = self.query.fuses_ranks();
        // By rank not all are asked for their words.
        let has_word = |hit: &Fused<Candidate<I>>| match is_by_rank {
            true => hit.ranks.first().is_some_and(Option::is_some),
            false => with_words.contains(&hit.id),
        };
        hits.retain(|hit| !self.needs_word(hit.id.base) || has_word(hit));
        for arm in self.arms.iter().filter(|arm| arm.is_reliable()) {
            let is_out = |(id, similarity): &&(Candidate<I>, f64)| self.is_too_far(id, *similarity);
            let out: BTreeSet<Candidate<I>> = arm.hits.iter().filter(is_out).map(|(id, _)| *id).collect();
            hits.retain(|hit| !out.contains(&hit.id));
        }
    }

    /// The documents of chunks, as pairs of both. A chunk without one is left out of the results.
    pub fn documents(&mut self, _: Documents<I>, documents: Result<Vec<(Candidate<I>, I)>, E>) {
        let documents = self.or_nothing(documents);
        self.documents.extend(documents);
    }
}

/// Notes the scores of chunks, and which have none.
fn keep<I: Id>(
    known: &mut HashMap<Candidate<I>, Option<f64>>,
    base: usize,
    ids: Vec<I>,
    scores: Vec<(I, f64)>,
) {
    known.extend(ids.into_iter().map(|chunk| (Candidate { chunk, base }, None)));
    known.extend(scores.into_iter().map(|(chunk, score)| (Candidate { chunk, base }, Some(score))));
}
