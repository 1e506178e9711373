//! Triggers and other code of the owner that raises errors, removes vectors, or takes long.

use core::time::Duration;
use std::collections::BTreeSet;

use kb_rag_core::embed_policy::{Chunk, Failure, Outcome, Wait};
use kb_rag_core::provider::{Reason, Refusal};
use proptest::prelude::*;

use crate::faults::{Access, Fate, Faults, Fine, refusal, seconds};
use crate::world::World;

fn error(message: &str) -> Access {
    Access::Error(Failure { message: message.to_string(), is_over_limit: false })
}

fn over_limit() -> Access {
    Access::Error(Failure { message: "ran too long".to_string(), is_over_limit: true })
}

/// A trigger on vectors, and one on the status, that raise errors for some documents.
#[derive(Default)]
struct Raises {
    on_vectors: BTreeSet<u32>,
    on_status: BTreeSet<u32>,
}

impl Faults for Raises {
    fn write(&mut self, documents: &BTreeSet<u32>, _: Duration) -> Access {
        if self.on_vectors.is_disjoint(documents) { Access::Free } else { error("not this one") }
    }
    fn end(&mut self, documents: &[u32]) -> Access {
        let raises = documents.iter().any(|document| self.on_status.contains(document));
        if raises { error("no status") } else { Access::Free }
    }
}

#[test]
fn a_document_that_cannot_be_written_costs_the_others_nothing() {
    let mut world = World::from_chunks([2; 10], 128);
    let mut faults = Raises { on_vectors: [3].into(), ..Raises::default() };
    world.run(&mut faults);
    let why = Some("not this one".to_string());
    assert_eq!(*world.outcome(3), Outcome::Postponed { after: Wait::Backoff(1), charged: true, error: why });
    assert_eq!(world.jobs.len(), 1);
    assert_eq!((world.calls.len(), world.reports), (1, 1));
    world.run_to_end(&mut faults, 7);
    assert_eq!(world.jobs[&3].failed.as_deref(), Some("not this one"));
    assert!(world.rows.values().all(|row| row.sent == if row.document == 3 { 8 } else { 1 }));
}

/// Its vectors are there: only the status is missing.
#[test]
fn a_document_whose_status_cannot_be_written_fails_without_another_call() {
    let mut world = World::from_chunks([1; 5], 128);
    let mut faults = Raises { on_status: [3].into(), ..Raises::default() };
    world.run(&mut faults);
    assert_eq!(world.jobs.len(), 1);
    world.run_to_end(&mut faults, 7);
    assert_eq!(world.jobs[&3].failed.as_deref(), Some("no status"));
    assert_eq!(world.calls.len(), 1);
}

/// Code that exceeds its time for one document ends the work, after the others had their turn before it.
#[test]
fn code_that_takes_too_long_ends_the_work() {
    struct TakesLong(u32);
    impl Faults for TakesLong {
        fn write(&mut self, documents: &BTreeSet<u32>, _: Duration) -> Access {
            if documents.contains(&self.0) { over_limit() } else { Access::Free }
        }
    }
    let mut world = World::from_chunks([1; 5], 128);
    world.run(&mut TakesLong(3));
    assert_eq!(world.missing(), 2, "written: 0, 1, 2");
    assert!(world.endings.is_empty() && world.reports == 0);
    assert!(world.jobs.values().all(|job| job.attempts == 1), "an attempt of all is charged");
}

/// The same for code that runs when the status is written.
#[test]
fn code_that_takes_too_long_at_the_end_ends_the_work() {
    struct TakesLong;
    impl Faults for TakesLong {
        fn end(&mut self, documents: &[u32]) -> Access {
            if documents.contains(&3) { over_limit() } else { Access::Free }
        }
    }
    let mut world = World::from_chunks([1; 5], 128);
    world.run(&mut TakesLong);
    assert_eq!(world.endings.keys().copied().collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!((world.jobs.len(), world.reports, world.jobs[&3].attempts), (2, 0, 1));
}

/// Counts how often something is written or ended, each time with another error, which takes a while.
#[derive(Default)]
struct Slow {
    writes: usize,
    ends: usize,
    takes: Duration,
}

impl Faults for Slow {
    fn write(&mut self, _: &BTreeSet<u32>, _: Duration) -> Access {
        self.writes += 1;
        error(&format!("write {}", self.writes))
    }
    fn end(&mut self, _: &[u32]) -> Access {
        self.ends += 1;
        error(&format!("end {}", self.ends))
    }
    fn takes(&self) -> Duration {
        self.takes
    }
}

#[test]
fn each_document_has_its_own_error() {
    let mut world = World::from_chunks([1; 3], 128);
    world.run(&mut Slow::default());
    let errors: Vec<_> = world.jobs.values().map(|job| job.error.as_deref()).collect();
    assert_eq!(errors, [Some("end 2"), Some("end 3"), Some("end 4")]);
}

/// What failed for a document that is alone is not tried once more.
#[test]
fn a_document_that_is_alone_is_tried_once() {
    let mut faults = Slow::default();
    World::from_chunks([3], 128).run(&mut faults);
    assert_eq!((faults.writes, faults.ends), (1, 1));
}

/// One document after the other is tried for as long as the owner's code may run, not longer.
#[test]
fn documents_are_tried_one_by_one_for_a_limited_time() {
    let mut faults = Slow { takes: seconds(20.0), ..Slow::default() };
    let mut world = World::from_chunks([1; 5], 128);
    world.run(&mut faults);
    assert_eq!((faults.writes, faults.ends), (3, 3), "together, and two by themselves");
    assert!(world.jobs.values().all(|job| job.attempts == 1 && job.error.is_some()));
}

/// A table that is locked now counts as the error before: nothing waits once an error was raised.
#[test]
fn documents_that_are_written_one_by_one_do_not_wait() {
    struct ThenLocked;
    impl Faults for ThenLocked {
        fn write(&mut self, documents: &BTreeSet<u32>, _: Duration) -> Access {
            if documents.len() > 1 { error("together") } else { Access::Locked }
        }
    }
    let mut world = World::from_chunks([1; 5], 128);
    world.run(&mut ThenLocked);
    assert!(world.now < seconds(1.0));
    let error = Some("together".to_string());
    for document in 0..5 {
        let lost = Outcome::Postponed { after: Wait::Backoff(1), charged: true, error: error.clone() };
        assert_eq!(*world.outcome(document), lost);
    }
}

/// Another worker has the place for this owner now.
#[test]
fn a_worker_that_has_lost_its_place_runs_no_more_code_of_the_owner() {
    struct Crowded(Slow);
    impl Faults for Crowded {
        fn write(&mut self, documents: &BTreeSet<u32>, now: Duration) -> Access {
            self.0.write(documents, now)
        }
        fn end(&mut self, documents: &[u32]) -> Access {
            self.0.end(documents)
        }
        fn keeps_share(&mut self) -> bool {
            false
        }
    }
    let mut world = World::from_chunks([1; 5], 128);
    let mut faults = Crowded(Slow::default());
    world.run(&mut faults);
    assert_eq!((faults.0.writes, faults.0.ends), (1, 1), "together");
    assert!(world.jobs.values().all(|job| job.attempts == 1 && job.error.as_deref() == Some("end 1")));
}

/// The work resumes after other work had its turn.
#[test]
fn code_that_has_used_its_time_ends_the_turn() {
    struct UsedUp;
    impl Faults for UsedUp {
        fn is_time_used_up(&mut self) -> bool {
            true
        }
    }
    let mut world = World::from_chunks([4, 4], 2);
    for calls in 1..=4 {
        world.run(&mut UsedUp);
        assert_eq!(world.calls.len(), calls);
    }
    assert!(world.jobs.is_empty());
    assert!(world.rows.values().all(|row| row.sent == 1));
}

/// A worker that others need ends after the call in progress, even if it has read more; what was sent is not sent again.
#[test]
fn a_worker_that_leaves_ends_after_its_call() {
    struct Leaves;
    impl Faults for Leaves {
        fn must_leave(&mut self) -> bool {
            true
        }
    }
    let mut world = World::from_chunks([3, 2], 5);
    // A chunk fits into a call.
    world.limits.bytes = 1;
    for calls in 1..=5 {
        world.run(&mut Leaves);
        assert_eq!(world.calls.len(), calls);
    }
    assert!(world.jobs.is_empty());
    assert!(world.rows.values().all(|row| row.sent == 1 && row.has_vector));
}

/// A document with a rejected chunk does not fail before the others have their vectors, unless no turn gets that far.
#[test]
fn code_that_has_used_its_time_does_not_fail_a_document() {
    struct UsedUp {
        is_slow_to_read: bool,
        writes: usize,
    }
    impl Faults for UsedUp {
        fn call(&mut self, chunks: &[Chunk<u32>]) -> Option<Refusal> {
            chunks.iter().any(|chunk| chunk.id == 0).then(|| refusal(Reason::BadItem))
        }
        fn write(&mut self, _: &BTreeSet<u32>, _: Duration) -> Access {
            self.writes += 1;
            Access::Free
        }
        fn is_time_used_up(&mut self) -> bool {
            self.is_slow_to_read || std::mem::take(&mut self.writes) > 0
        }
    }
    for (is_slow_to_read, missing) in [(false, 1), (true, 4)] {
        let mut world = World::from_chunks([4], 1);
        world.run_to_end(&mut UsedUp { is_slow_to_read, writes: 0 }, 8);
        assert_eq!(world.jobs[&0].failed.as_deref(), Some("BadItem"));
        assert_eq!(world.missing(), missing);
    }
}

/// What happens to every vector of some documents.
struct Removes(BTreeSet<u32>, Fate);

impl Faults for Removes {
    fn fate(&mut self, chunk: u32) -> Fate {
        if self.0.contains(&chunk) { self.1 } else { Fate::Kept }
    }
}

/// A chunk whose vector is never kept is sent eight times.
#[test]
fn a_vector_that_is_never_kept_is_paid_for_eight_times() {
    for (fate, why) in [
        (Fate::Lost, "a vector that was written is not in the table"),
        (Fate::RemovedLater, "its chunks or vectors were changed while they were embedded"),
    ] {
        let mut world = World::of_single_chunks(5, 128);
        world.run_to_end(&mut Removes([3].into(), fate), 8);
        let sent: Vec<usize> = world.rows.values().map(|row| row.sent).collect();
        assert_eq!(sent, [1, 1, 1, 8, 1], "{fate:?}");
        assert_eq!(world.jobs[&3].failed.as_deref(), Some(why));
        assert_eq!(world.jobs.len(), 1);
    }
}

/// It is not sent a second time before the others of its document.
#[test]
fn a_vector_that_is_removed_is_not_made_again_at_once() {
    let mut world = World::from_chunks([2], 1);
    world.run(&mut Removes([0].into(), Fate::RemovedLater));
    assert_eq!(world.calls, [[0], [1]]);
}

/// A trigger that replaces a chunk for each vector would keep a worker busy forever.
#[test]
fn a_chunk_that_is_always_replaced_is_paid_for_eight_times() {
    struct Replaces;
    impl Faults for Replaces {
        fn fate(&mut self, _: u32) -> Fate {
            Fate::Replaced
        }
    }
    let mut world = World::from_chunks([3], 128);
    world.run_to_end(&mut Replaces, 8);
    assert_eq!(world.calls.len(), 8);
    assert!(world.jobs[&0].failed.is_some());
}

/// Chunks that are gone lack no vector. The attempt that their documents may need counts.
#[test]
fn documents_whose_chunks_are_gone_are_complete() {
    let mut world = World::from_chunks([2, 1], 128);
    world.run(&mut Removes([0, 1].into(), Fate::Deleted));
    assert_eq!([world.outcome(0), world.outcome(1)], [&Outcome::Complete, &Outcome::Complete]);
}

/// The trigger is dropped: the next attempt succeeds.
#[test]
fn an_error_that_is_fixed_is_forgotten() {
    let mut world = World::from_chunks([2, 2], 128);
    let mut faults = Raises { on_vectors: [0, 1].into(), on_status: [1].into() };
    (0..5).for_each(|_| assert!(world.run(&mut faults)));
    world.run_to_end(&mut Fine, 2);
    assert!(world.jobs.is_empty());
    assert!(world.now < seconds(60.0));
}

proptest! {
    /// Whatever documents have code that fails: the others get their vectors from one call, without a further attempt,
    /// and those that fail are sent eight times.
    #[test]
    fn innocent_documents_are_not_charged(
        documents in 1..40_usize,
        on_vectors in prop::collection::btree_set(0..40_u32, 0..10),
        on_status in prop::collection::btree_set(0..40_u32, 0..10),
    ) {
        let mut world = World::of_single_chunks(documents, 128);
        let mut faults = Raises { on_vectors, on_status };
        world.run(&mut faults);
        let is_guilty = |faults: &Raises, document: &u32| {
            faults.on_vectors.contains(document) || faults.on_status.contains(document)
        };
        prop_assert!(world.jobs.keys().all(|document| is_guilty(&faults, document)));
        world.run_to_end(&mut faults, 100);
        for (id, row) in &world.rows {
            let raises = faults.on_vectors.contains(id);
            prop_assert_eq!((row.sent, row.has_vector), if raises { (8, false) } else { (1, true) });
            prop_assert_eq!(world.jobs.contains_key(id), is_guilty(&faults, id));
        }
        prop_assert!(world.jobs.values().all(|job| job.attempts == 8 && job.failed.is_some()));
    }
}
