//! Other sessions that write documents, lock tables and change the model meanwhile.

use core::time::Duration;
use std::collections::BTreeSet;

use kb_rag_core::embed_policy::{Chunk, Outcome, Wait};
use kb_rag_core::provider::{Reason, Refusal};

use crate::faults::{Access, Fate, Faults, Fine, refusal, seconds};
use crate::world::World;

/// Another session is writing some documents until a time.
struct Writing(Vec<u32>, Duration);

impl Faults for Writing {
    fn is_busy(&mut self, document: u32, now: Duration) -> bool {
        self.0.contains(&document) && now < self.1
    }
}

#[test]
fn vectors_of_a_document_that_is_being_written_follow() {
    let mut world = World::from_chunks([2, 2, 2], 8);
    world.run(&mut Writing(vec![1], seconds(0.9)));
    assert_eq!(world.calls.len(), 1);
    assert!(world.jobs.is_empty(), "all have their vectors: {:?}", world.jobs);
    assert!(world.now > seconds(0.9) && world.now < seconds(1.1));
}

/// A second is enough: then the vectors are lost, and the attempt counts because they were paid for.
#[test]
fn vectors_of_a_document_that_is_being_written_for_long_are_lost() {
    let mut world = World::from_chunks([2, 2, 2], 8);
    world.run(&mut Writing(vec![1], seconds(10.0)));
    assert!(world.now < seconds(1.2));
    let why = "another session kept the document locked for too long";
    let lost = Outcome::Postponed { after: Wait::Backoff(1), charged: true, error: Some(why.to_string()) };
    assert_eq!(*world.outcome(1), lost);
    assert_eq!(world.jobs.len(), 1);
    world.run(&mut Fine);
    assert!(world.jobs.is_empty());
    assert_eq!(world.rows.values().map(|row| row.sent).collect::<Vec<_>>(), [1, 1, 2, 2, 1, 1]);
}

/// Held vectors are not asked for again while other batches are sent.
#[test]
fn held_vectors_are_not_sent_again() {
    for items in [1, 4] {
        let mut world = World::from_chunks([2; 10], items);
        world.run(&mut Writing(vec![0, 3], seconds(0.8)));
        assert!(world.rows.values().all(|row| row.sent == 1 && row.has_vector));
    }
}

/// They are progress once they are written, and were never lost.
#[test]
fn held_vectors_make_earlier_failures_count_no_more() {
    struct WritingAndFailing;
    impl Faults for WritingAndFailing {
        fn call(&mut self, chunks: &[Chunk<u32>]) -> Option<Refusal> {
            (chunks[0].id == 1).then(|| refusal(Reason::Transient))
        }
        fn is_busy(&mut self, _: u32, now: Duration) -> bool {
            now < seconds(0.5)
        }
    }
    let mut world = World::from_chunks([2], 1);
    world.jobs.values_mut().for_each(|job| job.attempts = 6);
    world.run(&mut WritingAndFailing);
    assert!(world.rows[&0].has_vector && world.endings[&0].forgets_failures);
}

/// Only its status cannot be written: nothing was lost, so no attempt counts.
#[test]
fn a_document_whose_status_cannot_be_written_waits_without_an_attempt() {
    struct AtTheEnd(bool);
    impl Faults for AtTheEnd {
        fn is_busy(&mut self, _: u32, _: Duration) -> bool {
            std::mem::replace(&mut self.0, true)
        }
    }
    let mut world = World::from_chunks([2], 8);
    world.run(&mut AtTheEnd(false));
    assert_eq!(world.missing(), 0);
    let waits = Outcome::Postponed { after: Wait::Exactly(seconds(0.25)), charged: false, error: None };
    assert_eq!(*world.outcome(0), waits);
    world.run(&mut Fine);
    assert_eq!(world.calls.len(), 1);
    assert!(world.jobs.is_empty());
}

/// A table that is locked until a time when vectors are to be written.
struct Locked(Duration);

impl Faults for Locked {
    fn write(&mut self, _: &BTreeSet<u32>, now: Duration) -> Access {
        if now < self.0 { Access::Locked } else { Access::Free }
    }
}

#[test]
fn vectors_wait_for_a_locked_table() {
    let mut world = World::from_chunks([2, 2], 8);
    world.run(&mut Locked(seconds(4.9)));
    assert!(world.jobs.is_empty());
    assert_eq!(world.calls.len(), 1);
}

#[test]
fn vectors_are_lost_if_a_table_is_locked_for_long() {
    let mut world = World::from_chunks([2, 2], 8);
    world.run(&mut Locked(seconds(60.0)));
    assert!(world.now > seconds(5.0) && world.now < seconds(5.2));
    let why = "a table of the knowledge base was locked by another session";
    let lost = Outcome::Postponed { after: Wait::Backoff(1), charged: true, error: Some(why.to_string()) };
    assert_eq!(*world.outcome(0), lost);
    assert_eq!(world.calls.len(), 1);
}

/// The jobs can be claimed again at once. What was written stays, and no attempt counts.
#[test]
fn a_table_that_is_locked_when_chunks_are_read_ends_the_work() {
    struct LockedForReaders;
    impl Faults for LockedForReaders {
        fn read(&mut self) -> Access {
            Access::Locked
        }
    }
    let mut world = World::from_chunks([2, 2], 2);
    world.run(&mut LockedForReaders);
    assert_eq!(world.missing(), 2);
    let waits = Outcome::Postponed { after: Wait::Exactly(seconds(0.25)), charged: false, error: None };
    assert_eq!([world.outcome(0), world.outcome(1)], [&waits, &waits]);
    world.run(&mut Fine);
    assert!(world.jobs.is_empty());
    assert!(world.rows.values().all(|row| row.sent == 1));
}

/// The model was changed, or the base dropped: the answer is thrown away.
#[test]
fn work_that_is_no_longer_needed_ends() {
    struct Unwanted(bool);
    impl Faults for Unwanted {
        fn write(&mut self, _: &BTreeSet<u32>, _: Duration) -> Access {
            if self.0 { Access::Unwanted } else { Access::Free }
        }
        fn read(&mut self) -> Access {
            Access::Unwanted
        }
    }
    for (is_at_write, calls) in [(true, 1), (false, 1)] {
        let mut world = World::from_chunks([2, 2, 2], 2);
        world.run(&mut Unwanted(is_at_write));
        assert_eq!(world.calls.len(), calls);
        assert!(world.endings.is_empty(), "the jobs are given back as they are");
        assert!(world.jobs.values().all(|job| job.attempts == 0));
    }
}

/// A second for the document includes the time that a table is locked.
#[test]
fn held_vectors_wait_for_a_locked_table() {
    struct Both(usize, Duration);
    impl Faults for Both {
        fn write(&mut self, _: &BTreeSet<u32>, now: Duration) -> Access {
            self.0 += 1;
            if self.0 > 1 && now < self.1 { Access::Locked } else { Access::Free }
        }
        fn is_busy(&mut self, _: u32, _: Duration) -> bool {
            self.0 == 1
        }
    }
    for (until, sent) in [(0.9, 1), (2.0, 2)] {
        let mut world = World::from_chunks([2], 8);
        world.run_to_end(&mut Both(0, seconds(until)), 9);
        assert_eq!((world.missing(), world.jobs.len()), (0, 0));
        assert!(world.rows.values().all(|row| row.sent == sent), "locked for {until} s");
    }
}

#[test]
fn held_vectors_that_are_no_longer_needed_are_thrown_away() {
    struct Dropped(bool);
    impl Faults for Dropped {
        fn write(&mut self, _: &BTreeSet<u32>, _: Duration) -> Access {
            if std::mem::replace(&mut self.0, true) { Access::Unwanted } else { Access::Free }
        }
        fn is_busy(&mut self, _: u32, _: Duration) -> bool {
            true
        }
    }
    let mut world = World::from_chunks([2], 8);
    world.run(&mut Dropped(false));
    assert!(world.endings.is_empty() && world.jobs[&0].attempts == 0);
    assert_eq!(world.calls.len(), 1);
}

/// The table is locked at the end: the vectors that were lost count as an attempt all the same.
#[test]
fn vectors_that_were_lost_count_when_a_table_is_locked() {
    struct LockedAtTheEnd;
    impl Faults for LockedAtTheEnd {
        fn fate(&mut self, chunk: u32) -> Fate {
            if chunk == 0 { Fate::Lost } else { Fate::Kept }
        }
        fn end(&mut self, _: &[u32]) -> Access {
            Access::Locked
        }
    }
    let mut world = World::from_chunks([1, 1], 8);
    world.run(&mut LockedAtTheEnd);
    let ends = [0, 1].map(|document| world.outcome(document).clone());
    let waits = |charged| Outcome::Postponed { after: Wait::Exactly(seconds(0.25)), charged, error: None };
    assert_eq!(ends, [waits(true), waits(false)]);
}

/// Its status cannot be written now, so it does not fail now.
#[test]
fn a_document_that_is_being_written_fails_later() {
    struct WritingRejected;
    impl Faults for WritingRejected {
        fn call(&mut self, _: &[Chunk<u32>]) -> Option<Refusal> {
            Some(refusal(Reason::BadItem))
        }
        fn is_busy(&mut self, _: u32, _: Duration) -> bool {
            true
        }
    }
    let mut world = World::from_chunks([1], 8);
    world.run(&mut WritingRejected);
    let waits = Outcome::Postponed { after: Wait::Exactly(seconds(0.25)), charged: false, error: None };
    assert_eq!(*world.outcome(0), waits);

    // Not even if all vectors that were paid for were lost.
    struct WritingLoses;
    impl Faults for WritingLoses {
        fn is_busy(&mut self, _: u32, _: Duration) -> bool {
            true
        }
    }
    let mut world = World::from_chunks([1], 8);
    world.jobs.values_mut().for_each(|job| job.attempts = 7);
    world.run(&mut WritingLoses);
    assert_eq!(*world.outcome(0), waits);
}

#[test]
fn the_job_of_a_document_that_was_deleted_is_done() {
    let mut world = World::from_chunks([1, 0], 2);
    world.gone.insert(1);
    world.run(&mut Fine);
    assert_eq!([world.outcome(0), world.outcome(1)], [&Outcome::Complete, &Outcome::Gone]);
    assert!(world.jobs.is_empty());
}
