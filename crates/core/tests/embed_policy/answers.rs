//! Answers that are paid for and cannot be used: whatever a provider answers, no chunk is paid for without end.

use kb_rag_core::embed_policy::{Chunk, MAX_ATTEMPTS, Outcome, Scope};
use kb_rag_core::provider::{Reason, Refusal};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::faults::{Faults, Fine, refusal, seconds};
use crate::world::World;

const PAID: [Reason; 3] = [Reason::Broken, Reason::Nonsense, Reason::BadVector];

/// Each call gets this answer.
struct Always(Reason);

impl Faults for Always {
    fn call(&mut self, _: &[Chunk<u32>]) -> Option<Refusal> {
        Some(refusal(self.0))
    }
    fn serves_others(&mut self) -> bool {
        false
    }
}

/// The first batch pauses the base, and one chunk is sent when a pause ends: the others wait without an attempt.
#[test]
fn after_an_answer_that_cannot_be_used_one_chunk_is_sent_at_a_time() {
    for reason in PAID {
        let mut world = World::of_single_chunks(300, 10);
        for run in 1..=12 {
            assert!(world.run(&mut Always(reason)));
            assert_eq!((world.calls.len(), world.pauses.len()), (run, run), "{reason:?}");
            let sent = world.calls.last().map(Vec::len);
            assert_eq!(sent, Some(if run == 1 { 10 } else { 1 }), "{reason:?}");
        }
        assert!(
            world
                .pauses
                .iter()
                .all(|pause| pause.scope == Scope::Base && pause.reason == format!("{reason:?}"))
        );
        assert!(world.rows.values().all(|row| row.paid <= 2));
        assert!(world.jobs.values().all(|job| job.attempts <= 2 && job.failed.is_none()));
        // 1, 3, 9, 27, 81, 243 and 729 s, then a quarter of an hour each.
        assert!(world.now > seconds(1093.0 + 3.0 * 900.0), "{:?}", world.now);
        world.run_to_end(&mut Fine, 100);
        assert_eq!(world.missing(), 0, "{reason:?}");
        assert!(world.rows.values().all(|row| row.paid <= 3));
    }
}

/// Such a provider would be paid for ever if the document did not fail.
#[test]
fn a_document_fails_after_eight_answers_that_cannot_be_used_although_no_other_is_served() {
    for reason in PAID {
        let mut world = World::from_chunks([3], 2);
        world.run_to_end(&mut Always(reason), 50);
        assert!(world.rows.values().all(|row| (1..=8).contains(&row.paid)), "{reason:?}: {:?}", world.rows);
        assert_eq!(world.rows[&0].paid, 8, "{reason:?}");
        assert!(world.jobs[&0].failed.is_some());
        assert!(world.now > seconds(1000.0), "{:?}", world.now);
    }
}

/// Chunks whose vectors can never be used.
struct Unusable(Vec<u32>);

impl Faults for Unusable {
    fn is_usable(&mut self, chunk: u32) -> bool {
        !self.0.contains(&chunk)
    }
}

#[test]
fn vectors_that_cannot_be_used_cost_the_others_of_their_batch_nothing() {
    let mut world = World::from_chunks([1, 1, 1, 3, 1], 8);
    let mut faults = Unusable(vec![1, 4]);
    world.run(&mut faults);
    assert_eq!((world.calls.len(), world.missing(), world.pauses.len()), (1, 2, 0));
    for document in [1, 3] {
        let outcome = world.outcome(document);
        assert!(matches!(outcome, Outcome::Postponed { charged: true, .. }), "{outcome:?}");
    }
    world.run_to_end(&mut faults, 100);
    for (id, row) in &world.rows {
        let is_unusable = faults.0.contains(id);
        assert_eq!((row.paid, row.has_vector), if is_unusable { (8, false) } else { (1, true) });
    }
}

/// As of a server that answers any number of texts with one vector.
#[test]
fn a_provider_that_answers_one_text_at_a_time_embeds_everything() {
    struct OneAtATime;
    impl Faults for OneAtATime {
        fn call(&mut self, chunks: &[Chunk<u32>]) -> Option<Refusal> {
            (chunks.len() > 1).then(|| refusal(Reason::Nonsense))
        }
    }
    let mut world = World::from_chunks([1, 1, 20, 1, 7], 8);
    world.run_to_end(&mut OneAtATime, 200);
    assert_eq!((world.missing(), world.jobs.len()), (0, 0));
    assert!(world.rows.values().all(|row| row.paid <= 8), "{:?}", world.rows);
}

/// Answers that differ over time: a part of them, out of 16, is wrong, and a part of the vectors of the others.
#[derive(Debug)]
struct Mixed {
    seed: u64,
    wrong_answers: u64,
    wrong_vectors: u64,
    reasons: Vec<Reason>,
    /// After so many calls all answers are right, or all are wrong.
    calls: usize,
    is_right_then: bool,
}

impl Mixed {
    fn draw(&mut self) -> u64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        self.seed >> 40
    }
}

impl Faults for Mixed {
    fn call(&mut self, _: &[Chunk<u32>]) -> Option<Refusal> {
        if self.calls == 0 {
            return (!self.is_right_then).then(|| refusal(PAID[self.draw() as usize % PAID.len()]));
        }
        self.calls -= 1;
        let is_wrong = self.draw() % 16 < self.wrong_answers;
        let number = self.draw() as usize % self.reasons.len();
        is_wrong.then(|| refusal(self.reasons[number]))
    }
    fn is_usable(&mut self, _: u32) -> bool {
        self.calls == 0 || self.draw() % 16 >= self.wrong_vectors
    }
    fn serves_others(&mut self) -> bool {
        self.draw().is_multiple_of(2)
    }
    fn jitter(&mut self) -> f64 {
        self.draw() as f64 / (1_u64 << 24) as f64
    }
}

fn mixed() -> impl Strategy<Value = Mixed> {
    let reason = prop::sample::select(vec![
        Reason::Broken,
        Reason::Nonsense,
        Reason::BadVector,
        Reason::Transient,
        Reason::TimedOut,
        Reason::Overloaded,
        Reason::Unreachable,
        Reason::NotFound,
        Reason::BadItem,
    ]);
    (any::<u64>(), 0..17_u64, 0..17_u64, vec(reason, 1..4), 0..200_usize, any::<bool>()).prop_map(
        |(seed, wrong_answers, wrong_vectors, reasons, calls, is_right_then)| Mixed {
            seed,
            wrong_answers,
            wrong_vectors,
            reasons,
            calls,
            is_right_then,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000.max(ProptestConfig::default().cases), failure_persistence: None, ..ProptestConfig::default() })]

    /// Until somebody changes something, a chunk is paid for at most eight times, however large its document is and
    /// whatever else of it gets vectors meanwhile. The work ends: all documents are complete or have failed.
    #[test]
    fn whatever_is_answered_a_chunk_is_paid_for_eight_times(
        documents in vec(0..12_usize, 1..8),
        items in 1..9_usize,
        mut answers in mixed(),
    ) {
        let mut world = World::from_chunks(documents, items);
        world.run_to_end(&mut answers, 3000);
        for (id, row) in &world.rows {
            prop_assert!(row.paid <= MAX_ATTEMPTS as usize, "chunk {}: {:?}", id, row);
            let is_failed = world.jobs.get(&row.document).is_some_and(|job| job.failed.is_some());
            prop_assert!(row.has_vector || is_failed, "chunk {} is lost", id);
        }
    }
}
