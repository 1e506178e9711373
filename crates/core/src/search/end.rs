//! The last part of a round: whether another one is needed.

use super::arm::{Arm, Kind};
use super::{Action, Id, Lacking, Queue, Search, Step};

/// How many times deeper each further round is.
const DEEPER: usize = 4;

impl<I: Id, E> Search<I, E> {
    /// Whether there are enough results, or no more.
    pub(super) fn look_for_end(&mut self) -> (Vec<Action<I>>, Step) {
        let count = self.rows().0.len();
        // An arm without weight adds no hits, nor does one whose hits need a word of the question.
        let adds_none = |arm: &Arm<I>| match arm.kind {
            Kind::Semantic { .. } => {
                let mut covered = (0..self.bases.len()).filter(|base| arm.covers(self.bases[*base].space));
                arm.weight == 0.0 || covered.all(|base| self.needs_word(base))
            }
            Kind::Keyword => arm.weight == 0.0,
        };
        let is_exhausted = self.arms.iter().all(|arm| arm.is_exhausted() || adds_none(arm));
        if count >= self.query.count || is_exhausted {
            return (Vec::new(), Step::End);
        }
        if !self.is_at_threshold() {
            return (Vec::new(), self.deeper());
        }
        let has_more_words = self.arms.iter().any(|arm| arm.is_keyword() && !arm.is_exhausted());
        (Vec::new(), if has_more_words { Step::Queue } else { Step::End })
    }

    /// Whether the semantic arm of every base has come down to the threshold or is behind a closed gate, and all candidates have a
    /// similarity. A deeper search can then find only chunks without a vector.
    fn is_at_threshold(&self) -> bool {
        (0..self.bases.len()).all(|place| {
            let base = &self.bases[place];
            let arm = self.arms.iter().find(|arm| !arm.is_keyword() && arm.covers(base.space));
            arm.is_some_and(|arm| {
                let last = arm.found.checked_sub(1).and_then(|last| arm.hits.get(last));
                let ends_below = last.zip(base.threshold).is_some_and(|((_, found), least)| *found <= least);
                let is_exhausted = base.threshold.is_some() && arm.is_exhausted();
                // Hits that only vectors found were left out, and keywords may find them deeper.
                let is_at_end = self.query.adds_by_vectors() && (ends_below || is_exhausted);
                arm.is_reliable() && arm.incomparable.is_empty() && (self.is_closed(place) || is_at_end)
            })
        })
    }

    fn deeper(&mut self) -> Step {
        self.depth = self.depth.saturating_mul(DEEPER);
        Step::Round
    }

    /// Looking for chunks without vectors takes as long as a search over all chunks, so the queue is asked first where it knows
    /// of them.
    pub(super) fn ask_queue(&mut self) -> Vec<Action<I>> {
        self.lacks = false;
        let places = 0..self.bases.len();
        let (asked, unknown): (Vec<usize>, Vec<usize>) =
            places.partition(|place| self.bases[*place].makes_vectors);
        self.may_lack = unknown;
        asked.into_iter().map(|base| Action::Queue(Queue { base })).collect()
    }

    /// Whether the queue has chunks of a base that lack vectors.
    pub fn queued(&mut self, action: Queue, has_any: Result<bool, E>) {
        if self.or_remark(has_any).unwrap_or(true) {
            self.may_lack.push(action.base);
        }
    }

    pub(super) fn look_for_lacking(&mut self) -> (Vec<Action<I>>, Step) {
        if self.lacks {
            return (Vec::new(), self.deeper());
        }
        // One after the other: the first that is found is enough.
        self.may_lack.sort_unstable_by(|a, b| b.cmp(a));
        match self.may_lack.pop() {
            Some(base) => (vec![Action::Lacking(Lacking { base })], Step::Lacking),
            None => (Vec::new(), Step::End),
        }
    }

    /// Whether a chunk of a base that the keywords find lacks a vector.
    pub fn lacking(&mut self, _: Lacking, lacks: Result<bool, E>) {
        self.lacks = self.or_remark(lacks).unwrap_or(false);
    }
}
