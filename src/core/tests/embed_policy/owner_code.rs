//! Triggers and other code of the owner that raises errors, removes vectors, or takes long.

use core::time::Duration;
use std::collections::BTreeSet;

use kb_rag_core::embed_policy::{Failure, Outcome, Wait};
use proptest::prelude::*;

use crate::faults::{Access, Fate, Faults, Fine, seconds};
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
    let mut world = World::of([2; 10], 128);
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
    let mut world = World::of([1; 5], 128);
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
    let mut world = World::of([1; 5], 128);
    world.run(&mut TakesLong(3));
    assert_eq!(world.missing(), 2, "written: 0, 1, 2");
    assert!(world.endings.is_empty() && world.reports == 0);
    assert!(world.jobs.values().all(|job| job.attempts == 1), "an attempt of all is charged");
}

/// One document after the other is tried for as long as the owner's code may run, not longer.
#[test]
fn documents_are_tried_one_by_one_for_a_limited_time() {
    struct Slow(Duration);
    impl Faults for Slow {
        fn write(&mut self, documents: &BTreeSet<u32>, now: Duration) -> Access {
            self.0 = self.0.max(now);
            if documents.len() > 1 { error("together") } else { Access::Locked }
        }
        fn keeps_share(&mut self) -> bool {
            true
        }
    }
    let mut world = World::of([1; 5], 128);
    world.run(&mut Slow(Duration::ZERO));
    // A table that is locked now counts as the error before: nothing waits once an error was raised.
    let why = Some("together".to_string());
    for document in 0..5 {
        let lost = Outcome::Postponed { after: Wait::Backoff(1), charged: true, error: why.clone() };
        assert_eq!(*world.outcome(document), lost);
    }
}

/// Another worker has the place for this owner now.
#[test]
fn a_worker_that_has_lost_its_place_runs_no_more_code_of_the_owner() {
    struct Crowded(usize);
    impl Faults for Crowded {
        fn write(&mut self, _: &BTreeSet<u32>, _: Duration) -> Access {
            self.0 += 1;
            error("broken")
        }
        fn keeps_share(&mut self) -> bool {
            false
        }
    }
    let mut world = World::of([1; 5], 128);
    let mut faults = Crowded(0);
    world.run(&mut faults);
    assert_eq!(faults.0, 1);
    assert!(world.jobs.values().all(|job| job.attempts == 1 && job.error.as_deref() == Some("broken")));
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
    let mut world = World::of([4, 4], 2);
    for calls in 1..=4 {
        world.run(&mut UsedUp);
        assert_eq!(world.calls.len(), calls);
    }
    assert!(world.jobs.is_empty());
    assert!(world.rows.values().all(|row| row.sent == 1));
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

/// A trigger that replaces a chunk for each vector would keep a worker busy for ever.
#[test]
fn a_chunk_that_is_always_replaced_is_paid_for_eight_times() {
    struct Replaces;
    impl Faults for Replaces {
        fn fate(&mut self, _: u32) -> Fate {
            Fate::Replaced
        }
    }
    let mut world = World::of([3], 128);
    world.run_to_end(&mut Replaces, 8);
    assert_eq!(world.calls.len(), 8);
    assert!(world.jobs[&0].failed.is_some());
}

/// Chunks that are gone lack no vector. The attempt that their documents may need counts.
#[test]
fn documents_whose_chunks_are_gone_are_complete() {
    let mut world = World::of([2, 1], 128);
    world.run(&mut Removes([0, 1].into(), Fate::Deleted));
    assert_eq!([world.outcome(0), world.outcome(1)], [&Outcome::Complete, &Outcome::Complete]);
}

/// The trigger is dropped: the next attempt succeeds.
#[test]
fn an_error_that_is_fixed_is_forgotten() {
    let mut world = World::of([2, 2], 128);
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
