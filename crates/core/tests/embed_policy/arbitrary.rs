//! Anything may go wrong at any time, for a while. Then everything goes well, and the work must come to an end.

use core::time::Duration;
use std::collections::BTreeSet;

use kb_rag_core::embed_policy::{Chunk, Failure, MAX_ATTEMPTS};
use kb_rag_core::provider::{Reason, Refusal};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::faults::{Access, Fate, Faults, refusal, seconds};
use crate::world::World;

const REASONS: [Reason; 11] = [
    Reason::Overloaded,
    Reason::QuotaExhausted,
    Reason::Unauthorized,
    Reason::NotFound,
    Reason::BadItem,
    Reason::Transient,
    Reason::Broken,
    Reason::Nonsense,
    Reason::BadVector,
    Reason::Unreachable,
    Reason::TimedOut,
];

/// Each decision takes a number of a list; 0 means that nothing is wrong, and so does the end of the list.
#[derive(Debug)]
struct Script {
    numbers: std::vec::IntoIter<u8>,
    /// Chunks that the provider rejects forever, and documents whose triggers raise errors for ever.
    rejected: BTreeSet<u32>,
    trapped: BTreeSet<u32>,
    /// How often other sessions had a table or a document locked, or changed the model, so that one more attempt is
    /// made.
    interventions: usize,
    /// What went wrong.
    story: Vec<(&'static str, u8)>,
}

impl Script {
    /// A number below `many`.
    fn draw(&mut self, what: &'static str, many: u8) -> u8 {
        let number = self.numbers.next().filter(|number| *number < many).unwrap_or(0);
        if number > 0 {
            self.story.push((what, number));
        }
        number
    }

    fn error(&mut self, is_over_limit: bool) -> Access {
        Access::Error(Failure { message: "owner's code".to_string(), is_over_limit })
    }
}

impl Faults for Script {
    fn call(&mut self, chunks: &[Chunk<u32>]) -> Option<Refusal> {
        if chunks.iter().any(|chunk| self.rejected.contains(&chunk.id)) {
            return Some(refusal(Reason::BadItem));
        }
        let number = usize::from(self.draw("call", 20));
        let retry_after = (number % 2 == 0).then(|| seconds(number as f64));
        REASONS.get(number.checked_sub(1)?).map(|&reason| Refusal { retry_after, ..refusal(reason) })
    }

    fn is_usable(&mut self, _: u32) -> bool {
        self.draw("is_usable", 8) != 1
    }

    fn serves_others(&mut self) -> bool {
        self.draw("serves_others", 2) == 0
    }

    fn write(&mut self, documents: &BTreeSet<u32>, _: Duration) -> Access {
        if !self.trapped.is_disjoint(documents) {
            return self.error(false);
        }
        match self.draw("write", 6) {
            1 => Access::Locked,
            2 => {
                self.interventions += 1;
                Access::Unwanted
            }
            3 => self.error(true),
            4 | 5 => self.error(false),
            _ => Access::Free,
        }
    }

    fn fate(&mut self, _: u32) -> Fate {
        [Fate::Kept, Fate::Lost, Fate::RemovedLater, Fate::Replaced, Fate::Deleted]
            [usize::from(self.draw("fate", 5))]
    }

    fn is_busy(&mut self, _: u32, _: Duration) -> bool {
        let is_busy = self.draw("is_busy", 2) == 1;
        self.interventions += usize::from(is_busy);
        is_busy
    }

    fn read(&mut self) -> Access {
        let access =
            [Access::Free, Access::Locked, Access::Unwanted][usize::from(self.draw("read", 3))].clone();
        self.interventions += usize::from(access != Access::Free);
        access
    }

    fn reopen(&mut self) -> Option<String> {
        (self.draw("reopen", 2) == 1).then(|| "permission denied".to_string())
    }

    fn end(&mut self, _: &[u32]) -> Access {
        let access = match self.draw("end", 5) {
            1 => Access::Locked,
            2 => Access::Unwanted,
            3 => return self.error(true),
            4 => return self.error(false),
            _ => return Access::Free,
        };
        self.interventions += 1;
        access
    }

    fn keeps_share(&mut self) -> bool {
        self.draw("keeps_share", 2) == 0
    }

    fn is_time_used_up(&mut self) -> bool {
        self.draw("is_time_used_up", 2) == 1
    }

    fn must_leave(&mut self) -> bool {
        self.draw("must_leave", 5) == 1
    }

    fn jitter(&mut self) -> f64 {
        f64::from(self.draw("jitter", 100)) / 100.0
    }
}

fn script() -> impl Strategy<Value = Script> {
    let number = prop_oneof![3 => Just(0), 2 => 0..20_u8];
    let few = || prop::collection::btree_set(0..8_u32, 0..2);
    (vec(number, 0..400), few(), few()).prop_map(|(numbers, rejected, trapped)| Script {
        numbers: numbers.into_iter(),
        rejected,
        trapped,
        interventions: 0,
        story: Vec::new(),
    })
}

/// How many to try; `PROPTEST_CASES` asks for more.
fn cases() -> ProptestConfig {
    let asked = ProptestConfig::default();
    ProptestConfig { cases: asked.cases.max(1000), failure_persistence: None, ..asked }
}

proptest! {
    #![proptest_config(cases())]

    /// Nothing is lost, and nothing is called without end. [`World`] checks after each run that every claimed job is
    /// done, failed, postponed by an hour at most, or given back; that documents whose jobs are done have all their
    /// vectors; that no vector is another chunk's; and that the calls were at most two for each chunk without a vector.
    #[test]
    fn all_documents_come_to_an_end(
        documents in vec(0..5_usize, 1..8),
        items in 1..9_usize,
        mut script in script(),
    ) {
        let mut world = World::from_chunks(documents, items);
        world.run_to_end(&mut script, 1000);
        let failed: BTreeSet<u32> = world.jobs.keys().copied().collect();
        for (id, row) in &world.rows {
            prop_assert!(row.has_vector || failed.contains(&row.document), "chunk {} is lost", id);
        }
        for (document, job) in &world.jobs {
            let reason = job.failed.as_deref().unwrap_or_default();
            prop_assert!(!reason.is_empty());
            let is_of_chunk = reason == "BadItem";
            prop_assert!(job.attempts >= MAX_ATTEMPTS || is_of_chunk, "{}: {:?}", document, job);
        }
    }

    /// A chunk that is alone in its document is paid for at most eight times before the document fails, and once more
    /// each time that another session has the table or the document locked, or changes the model.
    #[test]
    fn a_chunk_is_paid_for_eight_times(
        documents in 1..8_usize,
        items in 1..9_usize,
        mut script in script(),
    ) {
        let mut world = World::of_single_chunks(documents, items);
        world.run_to_end(&mut script, 1000);
        let paid = world.rows.values().map(|row| row.paid).max().unwrap_or(0);
        let max = MAX_ATTEMPTS as usize + script.interventions;
        prop_assert!(paid <= max, "{} times: {:?}", paid, script.story);
    }
}
