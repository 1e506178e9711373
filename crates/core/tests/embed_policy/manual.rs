//! The table "What happens when a provider fails?" of docs/guide/background.md, row by row.

use std::fs;
use std::path::Path;

use kb_rag_core::embed_policy::{Chunk, MAX_ATTEMPTS, MODEL_AGAIN, Outcome, Scope, Wait};
use kb_rag_core::provider::{Kind, Reason, Refusal};

use crate::faults::{Faults, Fine, refusal, seconds};
use crate::world::World;

/// The rows of the manual, and the tests that show that they are true.
const ROWS: [(&str, &str, fn()); 9] = [
    (
        "is overloaded (429, 503)",
        "it is paused for as long as it asks, for all workers; no attempt is counted",
        is_overloaded,
    ),
    (
        "cannot be reached, or does not answer in time",
        "it is paused: a second at first, longer each time, at most a minute",
        cannot_be_reached_or_does_not_answer_in_time,
    ),
    (
        "has no key, was dropped, or is not granted to the owner of the base",
        "`kb_rag.failed` lists the documents with the reason; they are tried again every 30 seconds, and no attempt is counted",
        cannot_be_opened,
    ),
    (
        "refuses the key, or has no quota left (401, 403, 402)",
        "it is paused for 15 minutes, or until `kb_secret_set`, `kb_provider_set` or `kb_retry`",
        refuses_the_key_or_has_no_quota_left,
    ),
    ("does not know the model (404)", "the model is paused in the same way", does_not_know_the_model),
    (
        "rejects a batch (400, 413, 422)",
        "the batch is split until the rejected chunk stands alone; its document fails",
        rejects_a_batch,
    ),
    (
        "fails or closes the connection (5xx)",
        "the model is paused: a second at first, longer each time, at most a minute",
        fails_or_closes_the_connection,
    ),
    (
        "returns an invalid response (wrong counts or dimensions, HTML, half a body)",
        "this base is paused: a second at first, three times as long each time, at most 15 minutes; when the pause ends, one chunk is sent first",
        returns_an_invalid_response,
    ),
    (
        "returns some invalid vectors (NaN, zeros)",
        "the others are stored; those chunks are tried again",
        returns_some_invalid_vectors,
    ),
];

/// What the manual says of the last three rows, and of no answer in time.
const OF_THE_LAST_ROWS: [(&str, fn()); 3] = [
    (
        "From the third attempt on, batches are smaller, down to one chunk.",
        batches_are_smaller_from_the_third_attempt_on,
    ),
    (
        "A chunk that fails 8 times on its own is marked failed, unless the provider is failing for everyone.",
        a_chunk_that_fails_eight_times_on_its_own_is_marked_failed,
    ),
    (
        "A chunk that gets 8 invalid responses is marked failed in any case: each may have been paid for.",
        a_chunk_that_gets_eight_invalid_responses_is_marked_failed,
    ),
];

#[test]
fn each_row_has_a_test() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/background.md");
    let manual = fs::read_to_string(path).unwrap();
    let (_, section) = manual.split_once("\n## What happens when a provider fails?\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let rows: Vec<_> = section
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | "))
        .skip(1)
        .collect();
    assert_eq!(rows, ROWS.map(|(provider, then, _)| (provider, then)));
    let items: Vec<_> = section.lines().filter_map(|line| line.strip_prefix("- ")).collect();
    assert_eq!(items, OF_THE_LAST_ROWS.map(|(item, _)| item));
}

/// A provider whose answer is always this one.
struct Always {
    refusal: Refusal,
    serves_others: bool,
}

impl Faults for Always {
    fn call(&mut self, _: &[Chunk<u32>]) -> Option<Refusal> {
        Some(self.refusal.clone())
    }
    fn serves_others(&mut self) -> bool {
        self.serves_others
    }
}

fn always(reason: Reason) -> Always {
    Always { refusal: refusal(reason), serves_others: true }
}

/// The refusal that a status means, with nothing in the body.
fn of_status(status: u16) -> Refusal {
    Kind::OpenAi.read_refusal(status, &[], b"{}", 0.0)
}

/// Documents of one chunk in one batch, after a first call that failed.
fn after_first_call(mut faults: Always) -> World {
    let mut world = World::of_single_chunks(5, 8);
    assert!(world.run(&mut faults));
    assert_eq!(world.calls, [vec![0, 1, 2, 3, 4]], "one call");
    world
}

/// No document has an attempt, none failed, and all say why they wait.
fn assert_no_attempt_counts(world: &World, refusal: &Refusal) {
    for job in world.jobs.values() {
        assert_eq!((job.attempts, &job.failed), (0, &None));
        assert_eq!(job.error.as_ref(), Some(&refusal.message));
    }
    assert_eq!(world.jobs.len(), 5);
}

#[test]
fn is_overloaded() {
    for status in [429, 503] {
        for retry_after in [None, Some(seconds(42.0)), Some(seconds(86_400.0))] {
            let refusal = Refusal { retry_after, ..of_status(status) };
            let world = after_first_call(Always { refusal: refusal.clone(), serves_others: true });
            let [pause] = &world.pauses[..] else { panic!("{:?}", world.pauses) };
            assert_eq!((pause.scope, &pause.reason), (Scope::Provider, &refusal.message));
            assert!(pause.unless_changed);
            let time = retry_after.map_or(seconds(1.0), |asked| asked.min(seconds(3600.0)));
            assert_eq!(pause.time(1, 1.0), time);
            assert_no_attempt_counts(&world, &refusal);
        }
    }
}

/// A provider that cannot be opened when jobs are claimed gets its jobs postponed by [`MODEL_AGAIN`] before there is any
/// policy; here it cannot be opened again.
#[test]
fn cannot_be_opened() {
    struct NoKey;
    impl Faults for NoKey {
        fn reopen(&mut self) -> Option<String> {
            Some("provider \"p\" has no key".to_string())
        }
    }
    assert_eq!(MODEL_AGAIN, seconds(30.0));
    let mut world = World::from_chunks([1, 1, 3], 2);
    assert!(world.run(&mut NoKey));
    assert_eq!((world.calls.len(), world.pauses.len(), world.missing()), (1, 0, 3));
    let error = Some("provider \"p\" has no key".to_string());
    let after = Wait::Exactly(MODEL_AGAIN);
    assert_eq!(*world.outcome(2), Outcome::Postponed { after, charged: false, error });
    world.run_to_end(&mut Fine, 10);
    assert_eq!((world.missing(), world.jobs.len()), (0, 0));
}

/// How long something is paused after each failure in a row, at most.
const A_SECOND_AT_FIRST: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0];

fn assert_a_second_at_first(world: &World, scope: Scope) {
    let [pause] = &world.pauses[..] else { panic!("{:?}", world.pauses) };
    assert_eq!(pause.scope, scope);
    for (failures, max) in (1..).zip(A_SECOND_AT_FIRST) {
        assert_eq!(pause.time(failures, 1.0), seconds(max));
        assert_eq!(pause.time(failures, 0.0), seconds(max / 2.0));
    }
}

#[test]
fn cannot_be_reached_or_does_not_answer_in_time() {
    let world = after_first_call(always(Reason::Unreachable));
    assert_a_second_at_first(&world, Scope::Provider);
    assert_no_attempt_counts(&world, &refusal(Reason::Unreachable));

    // A text may be what takes too long: the attempt counts.
    let world = after_first_call(always(Reason::TimedOut));
    assert_a_second_at_first(&world, Scope::Provider);
    assert!(world.jobs.values().all(|job| job.attempts == 1 && job.failed.is_none()));
}

#[test]
fn refuses_the_key_or_has_no_quota_left() {
    for status in [401, 403, 402] {
        let refusal = of_status(status);
        let world = after_first_call(Always { refusal: refusal.clone(), serves_others: true });
        let [pause] = &world.pauses[..] else { panic!("{:?}", world.pauses) };
        assert_eq!((pause.scope, pause.after), (Scope::Provider, Some(seconds(900.0))));
        // A change by kb_provider_set during the call counts as well.
        assert!(pause.unless_changed);
        assert_no_attempt_counts(&world, &refusal);
    }
}

#[test]
fn does_not_know_the_model() {
    let refusal = of_status(404);
    let world = after_first_call(Always { refusal: refusal.clone(), serves_others: true });
    let [pause] = &world.pauses[..] else { panic!("{:?}", world.pauses) };
    assert_eq!((pause.scope, pause.after), (Scope::Model, Some(seconds(900.0))));
    assert_no_attempt_counts(&world, &refusal);
}

/// A provider that refuses each batch with one of these chunks.
struct Poison {
    chunks: Vec<u32>,
    refusal: Refusal,
}

impl Faults for Poison {
    fn call(&mut self, chunks: &[Chunk<u32>]) -> Option<Refusal> {
        let has_poison = chunks.iter().any(|chunk| self.chunks.contains(&chunk.id));
        has_poison.then(|| self.refusal.clone())
    }
}

#[test]
fn rejects_a_batch() {
    for status in [400, 413, 422] {
        let refusal = of_status(status);
        let mut world = World::of_single_chunks(8, 8);
        world.run(&mut Poison { chunks: vec![5], refusal: refusal.clone() });
        let calls: [&[u32]; 7] =
            [&[0, 1, 2, 3, 4, 5, 6, 7], &[0, 1, 2, 3], &[4, 5, 6, 7], &[4, 5], &[4], &[5], &[6, 7]];
        assert_eq!(world.calls, calls);
        assert!(world.pauses.is_empty());
        assert_eq!(*world.outcome(5), Outcome::Failed(refusal.message));
        assert_eq!(world.jobs.len(), 1, "the others have their vectors");
        assert_eq!(world.missing(), 1);
    }
}

/// The attempt counts, and the documents are tried again after the backoff.
fn assert_is_retried(world: &World, message: &str) {
    for job in world.jobs.values() {
        assert_eq!((job.attempts, &job.failed), (1, &None));
        assert_eq!(job.error.as_deref(), Some(message));
        assert_eq!(job.due, world.now + seconds(1.0));
    }
    assert_eq!(world.jobs.len(), 5);
}

#[test]
fn fails_or_closes_the_connection() {
    for refusal in [of_status(500), of_status(502), of_status(520), refusal(Reason::Transient)] {
        let world = after_first_call(Always { refusal: refusal.clone(), serves_others: true });
        assert_a_second_at_first(&world, Scope::Model);
        assert_is_retried(&world, &refusal.message);
    }
}

#[test]
fn returns_an_invalid_response() {
    for reason in [Reason::Broken, Reason::Nonsense, Reason::BadVector] {
        let mut world = after_first_call(always(reason));
        let [pause] = &world.pauses[..] else { panic!("{:?}", world.pauses) };
        assert_eq!(pause.scope, Scope::Base);
        // A change by kb_provider_set during the call counts as well.
        assert!(pause.unless_changed);
        for (failures, max) in (1..).zip([1.0, 3.0, 9.0, 27.0, 81.0, 243.0, 729.0, 900.0, 900.0]) {
            assert_eq!(pause.time(failures, 1.0), seconds(max));
            assert_eq!(pause.time(failures, 0.0), seconds(max / 2.0));
        }
        assert_is_retried(&world, &format!("{reason:?}"));
        assert!(world.run(&mut Fine));
        assert_eq!(world.calls[1].len(), 1, "one chunk first");
        assert!(world.run(&mut Fine));
        assert_eq!((world.calls[2].len(), world.missing()), (4, 0));
    }
}

#[test]
fn returns_some_invalid_vectors() {
    struct SomeInvalid;
    impl Faults for SomeInvalid {
        fn is_usable(&mut self, chunk: u32) -> bool {
            chunk.is_multiple_of(2)
        }
    }
    let mut world = World::of_single_chunks(5, 8);
    assert!(world.run(&mut SomeInvalid));
    assert_eq!((world.calls.len(), world.missing(), world.pauses.len()), (1, 2, 0));
    assert!(world.jobs.values().all(|job| job.attempts == 1 && job.error.as_deref() == Some("not finite")));
    world.run_to_end(&mut Fine, 2);
    assert_eq!(world.missing(), 0);
}

#[test]
fn batches_are_smaller_from_the_third_attempt_on() {
    for reason in [Reason::Transient, Reason::TimedOut] {
        let mut world = World::of_single_chunks(8, 8);
        let mut faults = Poison { chunks: vec![5], refusal: refusal(reason) };
        world.run(&mut faults);
        world.run(&mut faults);
        assert_eq!(world.calls.iter().map(Vec::len).collect::<Vec<_>>(), [8, 8], "{reason:?}");
        world.run(&mut faults);
        let is_split = world.calls.iter().any(|call| *call == [0, 1, 2, 3]);
        assert!(is_split, "{reason:?}: {:?}", world.calls);
        world.run_to_end(&mut faults, 20);
        assert_eq!(world.missing(), 1, "{reason:?}: the others have their vectors");
    }
    // Where each call may be paid for, a chunk is sent once a turn.
    for reason in [Reason::Broken, Reason::Nonsense, Reason::BadVector] {
        let mut world = World::of_single_chunks(16, 16);
        let mut faults = Poison { chunks: vec![5], refusal: refusal(reason) };
        world.run_to_end(&mut faults, 40);
        let of_poison = world.calls.iter().filter(|call| call.contains(&5)).map(Vec::len);
        let lengths: Vec<usize> = of_poison.collect();
        // The document that is sent first after a pause has its vector.
        assert_eq!(lengths, [16, 15, 4, 1, 1, 1, 1, 1], "{reason:?}");
        assert!(world.rows.values().all(|row| row.sent <= 4 || !row.has_vector), "{reason:?}");
        assert_eq!(world.missing(), 1, "{reason:?}: the others have their vectors");
    }
}

#[test]
fn a_chunk_that_gets_eight_invalid_responses_is_marked_failed() {
    for reason in [Reason::Broken, Reason::Nonsense, Reason::BadVector] {
        for serves_others in [false, true] {
            let mut world = World::of_single_chunks(1, 8);
            world.run_to_end(&mut Always { serves_others, ..always(reason) }, MAX_ATTEMPTS as usize);
            assert_eq!(world.rows[&0].sent, 8);
            assert_eq!(world.jobs[&0].failed, Some(format!("{reason:?}")));
        }
    }
}

#[test]
fn a_chunk_that_fails_eight_times_on_its_own_is_marked_failed() {
    for reason in [Reason::Transient, Reason::TimedOut] {
        let mut world = World::of_single_chunks(1, 8);
        world.run_to_end(&mut always(reason), MAX_ATTEMPTS as usize);
        assert_eq!(world.rows[&0].sent, 8);
        assert_eq!(world.jobs[&0].failed, Some(format!("{reason:?}")));

        let mut world = World::of_single_chunks(1, 8);
        let mut failing_for_everyone = Always { serves_others: false, ..always(reason) };
        (0..50).for_each(|_| assert!(world.run(&mut failing_for_everyone)));
        assert_eq!(world.jobs[&0].failed, None);
        // As soon as the provider serves others, the chunk is the cause.
        world.run(&mut always(reason));
        assert!(world.jobs[&0].failed.is_some());
    }
}
