//! Other sessions that write documents, lock tables and change the model meanwhile.

use core::time::Duration;
use std::collections::BTreeSet;

use kb_rag_core::embed_policy::{Outcome, Wait};

use crate::faults::{Access, Faults, Fine, seconds};
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
    let mut world = World::of([2, 2, 2], 8);
    world.run(&mut Writing(vec![1], seconds(0.9)));
    assert_eq!(world.calls.len(), 1);
    assert!(world.jobs.is_empty(), "all have their vectors: {:?}", world.jobs);
    assert!(world.now > seconds(0.9) && world.now < seconds(1.1));
}

/// A second is enough: then the vectors are lost, and the attempt counts because they were paid for.
#[test]
fn vectors_of_a_document_that_is_being_written_for_long_are_lost() {
    let mut world = World::of([2, 2, 2], 8);
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
    let mut world = World::of([2; 10], 4);
    world.run(&mut Writing(vec![0, 3], seconds(0.8)));
    assert!(world.rows.values().all(|row| row.sent == 1 && row.has_vector));
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
    let mut world = World::of([2], 8);
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
    let mut world = World::of([2, 2], 8);
    world.run(&mut Locked(seconds(4.9)));
    assert!(world.jobs.is_empty());
    assert_eq!(world.calls.len(), 1);
}

#[test]
fn vectors_are_lost_if_a_table_is_locked_for_long() {
    let mut world = World::of([2, 2], 8);
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
    let mut world = World::of([2, 2], 2);
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
        let mut world = World::of([2, 2, 2], 2);
        world.run(&mut Unwanted(is_at_write));
        assert_eq!(world.calls.len(), calls);
        assert!(world.endings.is_empty(), "the jobs are given back as they are");
        assert!(world.jobs.values().all(|job| job.attempts == 0));
    }
}

#[test]
fn the_job_of_a_document_that_was_deleted_is_done() {
    let mut world = World::of([1, 0], 2);
    world.gone.insert(1);
    world.run(&mut Fine);
    assert_eq!([world.outcome(0), world.outcome(1)], [&Outcome::Complete, &Outcome::Gone]);
    assert!(world.jobs.is_empty());
}
