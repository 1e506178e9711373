//! What failures of a provider do to a batch, to its chunks, and to other knowledge bases.

use kb_rag_core::embed_policy::{Chunk, Outcome, Scope, Wait};
use kb_rag_core::provider::{Limits, Reason, Refusal};

use crate::faults::{Faults, Fine, refusal, seconds};
use crate::world::World;

/// A provider whose first answers are these.
struct First<const N: usize>([Option<Refusal>; N], usize);

impl<const N: usize> First<N> {
    fn from_reasons(reasons: [Option<Reason>; N]) -> First<N> {
        First(reasons.map(|reason| reason.map(refusal)), 0)
    }
}

impl<const N: usize> Faults for First<N> {
    fn call(&mut self, _: &[Chunk<u32>]) -> Option<Refusal> {
        self.1 += 1;
        self.0.get(self.1 - 1).cloned().flatten()
    }
}

/// A provider that refuses each batch with certain chunks, for reasons of their own.
pub struct Poison(pub Vec<(u32, Reason)>);

impl Faults for Poison {
    fn call(&mut self, chunks: &[Chunk<u32>]) -> Option<Refusal> {
        let poison = self.0.iter().find(|(id, _)| chunks.iter().any(|chunk| chunk.id == *id));
        poison.map(|(_, reason)| refusal(*reason))
    }
}

/// Whose attempts are at least `attempts`.
fn with_attempts(documents: usize, items: usize, attempts: i32) -> World {
    let mut world = World::of_single_chunks(documents, items);
    world.jobs.values_mut().for_each(|job| job.attempts = attempts - 1);
    world
}

/// Three chunks that fail alone, one after the other, are not the cause: the fourth is not sent.
#[test]
fn three_failures_alone_in_a_row_stop_the_work() {
    for attempts in [1, 3, 7] {
        let mut world = with_attempts(6, 1, attempts);
        world.run(&mut First::from_reasons([Some(Reason::Transient); 6]));
        assert_eq!(world.calls, [[0], [1], [2]], "at attempt {attempts}");
        // The chunks are suspected from the third attempt on.
        assert_eq!(world.pauses.len(), if attempts < 3 { 3 } else { 0 });
        for document in 0..6 {
            let is_tried = document < 3;
            let outcome = world.outcome(document);
            assert!(
                matches!(outcome, Outcome::Postponed { charged, .. } if *charged == is_tried),
                "{document}: {outcome:?}"
            );
        }
    }
}

/// An answer in between shows that the provider works.
#[test]
fn an_answer_ends_the_row_of_failures() {
    let mut world = with_attempts(8, 8, 3);
    let poison = [0, 1, 4, 5].map(|id| (id, Reason::Transient)).to_vec();
    world.run(&mut Poison(poison));
    assert_eq!(world.missing(), 4, "{:?}", world.calls);
}

/// A rejected text says nothing about the provider, however many there are.
#[test]
fn rejected_texts_do_not_stop_the_work() {
    let mut world = World::of_single_chunks(40, 8);
    world.run(&mut Poison((0..39).map(|id| (id, Reason::BadItem)).collect()));
    assert_eq!(world.jobs.values().filter(|job| job.failed.is_some()).count(), 39);
    assert_eq!(world.missing(), 39);
    assert!(world.pauses.is_empty());
}

/// It costs other knowledge bases a worker for as long as a call may take.
#[test]
fn no_answer_in_time_stops_the_work_and_pauses_the_provider() {
    for attempts in 1..8 {
        let mut world = with_attempts(3, 1, attempts);
        world.run(&mut First::from_reasons([Some(Reason::TimedOut); 3]));
        assert_eq!(world.calls.len(), 1);
        let scopes: Vec<Scope> = world.pauses.iter().map(|pause| pause.scope).collect();
        assert_eq!(scopes, [Scope::Provider], "even if the chunk is suspected");
        assert!(matches!(world.outcome(0), Outcome::Postponed { charged: true, .. }));
        assert!(matches!(world.outcome(1), Outcome::Postponed { charged: false, .. }));
    }
}

/// At the last attempt the model is known to serve others: the chunk fails, and the others are sent.
#[test]
fn a_chunk_that_is_never_answered_fails() {
    let mut world = with_attempts(3, 1, 8);
    world.run(&mut Poison(vec![(0, Reason::TimedOut)]));
    assert_eq!(*world.outcome(0), Outcome::Failed("TimedOut".to_string()));
    assert_eq!([world.outcome(1), world.outcome(2)], [&Outcome::Complete; 2]);
    assert!(world.pauses.is_empty());
}

/// The third chunk in a row that would fail shows that the chunks are likely not the cause. None of them fails, and the
/// provider is not called again at once.
#[test]
fn three_chunks_in_a_row_do_not_fail() {
    for reason in [Reason::Transient, Reason::TimedOut] {
        let mut world = with_attempts(5, 1, 8);
        world.run(&mut First::from_reasons([Some(reason); 5]));
        assert_eq!(world.calls.len(), 3);
        let minute = Wait::Exactly(seconds(60.0));
        let waits = [(Wait::Backoff(8), true), (Wait::Backoff(8), true), (minute, true), (minute, false)];
        for (document, (after, charged)) in (0..).zip(waits.into_iter().chain([(minute, false)])) {
            let error = Some(format!("{reason:?}"));
            assert_eq!(*world.outcome(document), Outcome::Postponed { after, charged, error });
        }
    }
}

/// A chunk that reaches its last attempt fails if the provider answers after it. If the provider fails next, it is retried.
#[test]
fn an_answer_after_the_last_attempt_makes_the_chunk_fail() {
    let mut world = with_attempts(3, 1, 8);
    world.run(&mut First::from_reasons([Some(Reason::Transient), None, Some(Reason::Unreachable)]));
    assert_eq!(*world.outcome(0), Outcome::Failed("Transient".to_string()));

    let mut world = with_attempts(3, 1, 8);
    world.run(&mut First::from_reasons([Some(Reason::Transient), Some(Reason::Unreachable)]));
    let error = Some("Unreachable".to_string());
    assert_eq!(*world.outcome(0), Outcome::Postponed { after: Wait::Backoff(8), charged: true, error });
}

#[test]
fn a_chunk_that_is_suspected_pauses_nothing() {
    for (reason, scope) in [(Reason::Transient, Scope::Model), (Reason::Nonsense, Scope::Base)] {
        for attempts in 1..8 {
            let mut world = with_attempts(1, 1, attempts);
            world.run(&mut First::from_reasons([Some(reason)]));
            let scopes: Vec<Scope> = world.pauses.iter().map(|pause| pause.scope).collect();
            assert_eq!(scopes, [scope; 1][..usize::from(attempts < 3)], "attempt {attempts}");
        }
    }
}

/// The base gets no vectors at all: its chunks are not the cause.
#[test]
fn a_chunk_is_not_suspected_while_no_other_is_served() {
    struct ServesNone(Reason);
    impl Faults for ServesNone {
        fn call(&mut self, _: &[Chunk<u32>]) -> Option<Refusal> {
            Some(refusal(self.0))
        }
        fn serves_others(&mut self) -> bool {
            false
        }
    }
    for (reason, scope, attempts) in [
        (Reason::Nonsense, Scope::Base, 3),
        (Reason::Nonsense, Scope::Base, 8),
        (Reason::Transient, Scope::Model, 8),
    ] {
        let mut world = with_attempts(3, 1, attempts);
        world.run(&mut ServesNone(reason));
        let scopes: Vec<Scope> = world.pauses.iter().map(|pause| pause.scope).collect();
        assert_eq!((world.calls.len(), &scopes[..]), (1, &[scope][..]), "{reason:?}");
    }
}

#[test]
fn parts_of_a_batch_pause_nothing() {
    let mut world = World::of_single_chunks(4, 4);
    world.run(&mut First::from_reasons([Some(Reason::BadItem), Some(Reason::Transient)]));
    assert_eq!(world.calls, [vec![0, 1, 2, 3], vec![0, 1]]);
    assert!(world.pauses.is_empty());
    assert!(matches!(world.outcome(0), Outcome::Postponed { charged: true, .. }));
    assert!(matches!(world.outcome(2), Outcome::Postponed { charged: false, .. }));
}

/// The provider may ask for more than the backoff, but for no more than an hour.
#[test]
fn a_wait_that_is_asked_for_is_respected() {
    for (asked, after) in [(0.1, 1.0), (20.0, 20.0), (1e6, 3600.0)] {
        let mut world = World::of_single_chunks(2, 2);
        let refusal = Refusal { retry_after: Some(seconds(asked)), ..refusal(Reason::Transient) };
        world.run(&mut First([Some(refusal)], 0));
        let Outcome::Postponed { after: Wait::Exactly(time), charged: true, .. } = world.outcome(0) else {
            panic!("{:?}", world.outcome(0));
        };
        assert_eq!(*time, seconds(after));
    }
}

/// What was not sent is tried when the failed call is, without an attempt.
#[test]
fn the_rest_waits_for_as_long_as_the_failed_batch() {
    let mut world = World::from_chunks([3, 1, 1], 8);
    world.limits.items = 3;
    world.run(&mut First::from_reasons([Some(Reason::Transient)]));
    assert_eq!(world.calls, [[0, 1, 2]]);
    let after = Wait::Exactly(seconds(1.0));
    let error = Some("Transient".to_string());
    assert_eq!(*world.outcome(0), Outcome::Postponed { after, charged: true, error: error.clone() });
    assert_eq!(*world.outcome(2), Outcome::Postponed { after, charged: false, error });
}

/// A document that got vectors from this work is at its first attempt again.
#[test]
fn vectors_make_earlier_failures_count_no_more() {
    let mut world = World::from_chunks([3], 2);
    world.jobs.values_mut().for_each(|job| job.attempts = 6);
    world.run(&mut First::from_reasons([None, Some(Reason::Transient)]));
    assert_eq!(world.calls, [vec![0, 1], vec![2]]);
    assert!(world.endings[&0].forgets_failures);
    assert_eq!(world.jobs[&0].attempts, 1);
    assert_eq!(world.pauses.len(), 1, "the chunk is not suspected");
}

/// A key that is gone stops the work at the next call, and costs no attempt.
#[test]
fn a_provider_that_cannot_be_opened_again_stops_the_work() {
    struct Revoked;
    impl Faults for Revoked {
        fn reopen(&mut self) -> Option<String> {
            Some("permission denied for provider".to_string())
        }
    }
    for items in [1, 4] {
        let mut world = World::from_chunks([2, 2, 2], items);
        world.run(&mut Revoked);
        assert_eq!(world.calls.len(), 1);
        let after = Wait::Exactly(seconds(30.0));
        let error = Some("permission denied for provider".to_string());
        assert_eq!(*world.outcome(2), Outcome::Postponed { after, charged: false, error });
    }
}

/// A document with a failed chunk is not marked as failed while the rest of it waits for the provider.
#[test]
fn the_rest_is_left_over_when_the_provider_cannot_be_opened_again() {
    struct Dropped(Poison);
    impl Faults for Dropped {
        fn call(&mut self, chunks: &[Chunk<u32>]) -> Option<Refusal> {
            self.0.call(chunks)
        }
        fn reopen(&mut self) -> Option<String> {
            Some("no such provider".to_string())
        }
    }
    let mut world = World::from_chunks([3], 1);
    world.limits.bytes = 7;
    world.run(&mut Dropped(Poison(vec![(0, Reason::BadItem)])));
    let error = Some("no such provider".to_string());
    let after = Wait::Exactly(seconds(30.0));
    assert_eq!(*world.outcome(0), Outcome::Postponed { after, charged: false, error });
    world.run(&mut Poison(vec![(0, Reason::BadItem)]));
    assert_eq!(*world.outcome(0), Outcome::Failed("BadItem".to_string()));
    assert_eq!(world.missing(), 1);
}

/// Texts that are too long for one call make several batches, which are sent in order.
#[test]
fn batches_keep_the_limits_and_the_order() {
    let mut world = World::from_chunks([3, 4], 8);
    world.limits.bytes = 15;
    world.run(&mut Fine);
    assert_eq!(world.calls, [vec![0, 1], vec![2, 3], vec![4, 5], vec![6]]);
}

/// The provider is opened again between two batches too, and its limits may be others then.
#[test]
fn the_provider_is_opened_again_before_each_call() {
    struct Reopens(usize, usize);
    impl Faults for Reopens {
        fn reopen(&mut self) -> Option<String> {
            self.0 += 1;
            (self.0 > self.1).then(|| "no key".to_string())
        }
    }
    for times in 0..3 {
        let mut world = World::from_chunks([8], 8);
        world.limits.bytes = 15;
        let mut faults = Reopens(0, times);
        world.run(&mut faults);
        assert_eq!((world.calls.len(), faults.0), (times + 1, times + 1));
        assert_eq!(world.missing(), 8 - 2 * (times + 1));
    }
}

#[test]
fn limits_that_have_changed_hold_for_the_next_batches() {
    let mut world = World::from_chunks([8], 4);
    world.next_limits = Some(Limits { items: 1, ..world.limits });
    world.run(&mut Fine);
    assert_eq!(world.calls.iter().map(Vec::len).collect::<Vec<_>>(), [4, 1, 1, 1, 1]);
}

/// A document of which one chunk failed and another waits is not marked as failed before its time.
#[test]
fn a_document_fails_when_nothing_of_it_is_retried() {
    let mut world = World::from_chunks([2], 1);
    let mut faults = Poison(vec![(0, Reason::BadItem), (1, Reason::Transient)]);
    world.run(&mut faults);
    assert!(matches!(world.outcome(0), Outcome::Postponed { charged: true, .. }));
    world.run(&mut Poison(vec![(0, Reason::BadItem)]));
    assert_eq!(*world.outcome(0), Outcome::Failed("BadItem".to_string()));
    assert!(world.rows[&1].has_vector);
}

/// Nothing of it is left to send: it fails, although the work stops for another document.
#[test]
fn a_document_fails_even_if_the_work_stops() {
    let mut world = World::from_chunks([1, 1, 1], 1);
    world.run(&mut First::from_reasons([Some(Reason::BadItem), Some(Reason::Unreachable)]));
    assert_eq!(*world.outcome(0), Outcome::Failed("BadItem".to_string()));
    assert!(matches!(world.outcome(1), Outcome::Postponed { charged: false, .. }));
}

/// Chunks of it were not sent because the work stopped: they get their vectors first.
#[test]
fn a_document_of_stopped_work_fails_when_the_others_have_their_vectors() {
    for items in [1, 3] {
        let mut world = World::from_chunks([3], items);
        world.limits.bytes = 6;
        world.run(&mut First::from_reasons([Some(Reason::BadItem), Some(Reason::Unreachable)]));
        assert!(matches!(world.outcome(0), Outcome::Postponed { charged: false, .. }));
        world.run(&mut Poison(vec![(0, Reason::BadItem)]));
        assert_eq!(*world.outcome(0), Outcome::Failed("BadItem".to_string()));
        assert_eq!(world.missing(), 1);
    }
}

#[test]
fn documents_that_triggers_queue_again_and_again_fail() {
    let mut world = World::from_chunks([2, 2], 4);
    world.enqueue(1, 8);
    world.run(&mut Fine);
    assert_eq!(world.calls, [[0, 1]]);
    let why = "triggers queue the document again whenever vectors are written";
    assert_eq!(*world.outcome(1), Outcome::Failed(why.to_string()));
    assert_eq!(*world.outcome(0), Outcome::Complete);
}
