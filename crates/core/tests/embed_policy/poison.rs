//! Texts that a provider never embeds, and outages, however many there are.

use kb_rag_core::embed_policy::{Chunk, Outcome};
use kb_rag_core::provider::{Reason, Refusal};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::faults::{Faults, Fine, refusal, seconds};
use crate::provider::Poison;
use crate::world::World;

/// Several chunks that a provider never embeds while it serves others, with delays as varied as in a worker.
struct ManyPoison {
    poison: Poison,
    seed: u64,
}

impl Faults for ManyPoison {
    fn call(&mut self, chunks: &[Chunk<u32>]) -> Option<Refusal> {
        self.poison.call(chunks)
    }
    fn jitter(&mut self) -> f64 {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.seed >> 40) as f64 / (1_u64 << 24) as f64
    }
}

fn reason_of_a_text() -> impl Strategy<Value = Reason> {
    prop_oneof![
        Just(Reason::BadItem),
        Just(Reason::Transient),
        Just(Reason::Broken),
        Just(Reason::Nonsense),
        Just(Reason::BadVector),
        Just(Reason::TimedOut),
    ]
}

/// A reason that says nothing about the texts.
fn reason_of_the_provider() -> impl Strategy<Value = Reason> {
    prop_oneof![
        Just(Reason::Overloaded),
        Just(Reason::QuotaExhausted),
        Just(Reason::Unauthorized),
        Just(Reason::NotFound),
        Just(Reason::Unreachable),
    ]
}

proptest! {
    /// Whatever a provider has against a chunk, only this one fails. The others of its batch get vectors, and no
    /// attempt of their documents is charged if the provider says that a text is the cause.
    #[test]
    fn a_poison_chunk_fails_alone(
        documents in vec(1..4_usize, 1..60),
        items in 1..40_usize,
        poison in any::<prop::sample::Index>(),
        reason in reason_of_a_text(),
    ) {
        let mut world = World::from_chunks(documents, items);
        let poison = poison.index(world.rows.len()) as u32;
        let document = world.rows[&poison].document;
        let mut faults = Poison(vec![(poison, reason)]);
        if reason == Reason::BadItem {
            world.run(&mut faults);
            prop_assert!(world.calls.len() <= world.rows.len() / items + 2 + 2 * 7);
            prop_assert!(!world.run(&mut faults), "the other documents are complete");
        } else {
            world.run_to_end(&mut faults, 200);
        }
        let lacking: Vec<u32> = world.rows.iter().filter(|(_, row)| !row.has_vector).map(|(&id, _)| id).collect();
        prop_assert_eq!(lacking, [poison]);
        let failed: Vec<u32> = world.jobs.keys().copied().collect();
        prop_assert_eq!(failed, [document]);
    }

    /// Several, rejected by name: each fails alone, at once, and without a charge for the others.
    #[test]
    fn poison_chunks_fail_alone(
        documents in 1..100_usize,
        items in 1..40_usize,
        poison in prop::collection::btree_set(0..100_u32, 0..30),
    ) {
        let mut world = World::of_single_chunks(documents, items);
        let mut faults = Poison(poison.iter().map(|&id| (id, Reason::BadItem)).collect());
        world.run(&mut faults);
        for (document, ending) in &world.endings {
            let failed = matches!(ending.outcome, Outcome::Failed(_));
            prop_assert_eq!(failed, poison.contains(document));
            prop_assert_eq!(ending.outcome == Outcome::Complete, !failed);
        }
    }

    /// Several, for any reason: they fail one after the other, and keep the others neither from their vectors nor from
    /// being done.
    #[test]
    fn poison_chunks_fail_alone_for_any_reason(
        documents in vec(1..3_usize, 1..30),
        items in 1..40_usize,
        poison in prop::collection::btree_map(0..40_u32, reason_of_a_text(), 1..12),
        seed in any::<u64>(),
    ) {
        let mut world = World::from_chunks(documents, items);
        let poison: Vec<(u32, Reason)> =
            poison.into_iter().filter(|(id, _)| world.rows.contains_key(id)).collect();
        let mut faults = ManyPoison { poison: Poison(poison.clone()), seed };
        world.run_to_end(&mut faults, 100 * (1 + poison.len()));
        let lacking: Vec<(u32, u32)> =
            world.rows.iter().filter(|(_, row)| !row.has_vector).map(|(&id, row)| (id, row.document)).collect();
        let ids: Vec<u32> = lacking.iter().map(|(id, _)| *id).collect();
        prop_assert_eq!(ids, poison.iter().map(|(id, _)| *id).collect::<Vec<_>>());
        prop_assert!(world.jobs.keys().all(|job| lacking.iter().any(|(_, document)| document == job)));
        let max_sent = world.rows.values().map(|row| row.sent).max().unwrap_or(0);
        prop_assert!(max_sent <= 8 * 2 * 7, "{} times", max_sent);
        prop_assert!(world.now < seconds(3600.0), "{:?}", world.now);
    }

    /// A provider that is away for long costs no attempt, and one call for each pause.
    #[test]
    fn an_outage_costs_no_attempt(
        documents in vec(1..5_usize, 1..20),
        items in 1..10_usize,
        outage in vec(reason_of_the_provider(), 1..60),
    ) {
        struct Outage(std::vec::IntoIter<Reason>);
        impl Faults for Outage {
            fn call(&mut self, _: &[Chunk<u32>]) -> Option<Refusal> {
                self.0.next().map(refusal)
            }
        }
        let mut world = World::from_chunks(documents, items);
        let length = outage.len();
        let mut faults = Outage(outage.into_iter());
        for number in 1..=length {
            prop_assert!(world.run(&mut faults));
            prop_assert_eq!((world.calls.len(), world.pauses.len()), (number, number));
            prop_assert!(world.jobs.values().all(|job| job.attempts == 0 && job.failed.is_none()));
        }
        prop_assert!(world.run(&mut faults));
        prop_assert_eq!(world.missing(), 0);
        prop_assert!(!world.run(&mut faults));
    }

    /// Nothing goes wrong: one run, each chunk is sent once, in full batches.
    #[test]
    fn each_chunk_is_sent_once(documents in vec(0..6_usize, 1..40), items in 1..20_usize) {
        let mut world = World::from_chunks(documents, items);
        world.run(&mut Fine);
        prop_assert!(world.rows.values().all(|row| row.has_vector && row.sent == 1));
        prop_assert_eq!(world.calls.len(), world.rows.len().div_ceil(items));
        prop_assert!(world.jobs.is_empty());
    }
}
