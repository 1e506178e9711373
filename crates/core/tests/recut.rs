//! A change of how documents are cut, in a simulated world: writers, workers that cut and embed, calls under way, crashes, and the swap, in
//! any order. At every moment each document has all of its chunks with vectors; each text is embedded once; nothing is lost.
#![allow(missing_docs)]

use std::collections::{BTreeMap, BTreeSet, HashMap};

use kb_rag_core::recut::Ids;
use proptest::prelude::*;

type Id = u64;
type Text = Vec<u8>;

/// The chunks of a text with at most this many letters each.
fn cut(text: &[u8], size: usize) -> Vec<Text> {
    text.chunks(size).map(<[u8]>::to_vec).collect()
}

/// As the base has it: the chunks in use, and those for the pending model of documents that come out differently.
#[derive(Default)]
struct Document {
    text: Text,
    present: Vec<(Id, Text)>,
    next: Vec<(Id, Text)>,
    is_stale: bool,
}

#[derive(Default)]
struct World {
    documents: BTreeMap<u8, Document>,
    /// Vectors by chunk, as the text that was embedded.
    vectors: HashMap<Id, Text>,
    next_vectors: HashMap<Id, Text>,
    queue: BTreeSet<u8>,
    under_way: Option<(u8, Id, Text)>,
    /// How often the text of a chunk was sent, and how many calls a crash has lost.
    sent: HashMap<Id, usize>,
    lost: usize,
    last_id: Id,
    sizes: [usize; 2],
    is_over: bool,
}

#[derive(Clone, Debug)]
enum Step {
    Write(u8, Text),
    Delete(u8),
    Work,
    Answer,
    Crash,
    Swap,
}

impl World {
    fn new(sizes: [usize; 2], texts: &[Text]) -> World {
        let mut world = World { sizes, ..World::default() };
        for (document, text) in texts.iter().enumerate() {
            world.write(document as u8, text.clone());
        }
        world
    }

    fn size(&self) -> usize {
        self.sizes[usize::from(self.is_over)]
    }

    fn id(&mut self) -> Id {
        self.last_id += 1;
        self.last_id
    }

    /// A writer cuts with the settings in use and embeds, and queues the document for the pending ones.
    fn write(&mut self, name: u8, text: Text) {
        let mut document = self.documents.remove(&name).unwrap_or_default();
        let mut ids = Ids::new(document.present.clone(), Vec::new());
        let mut chunks = Vec::new();
        for chunk in cut(&text, self.size()) {
            let id = ids.take(&chunk).unwrap_or_else(|| self.id());
            self.vectors.insert(id, chunk.clone());
            chunks.push((id, chunk));
        }
        document.is_stale = !document.next.is_empty();
        (document.text, document.present) = (text, chunks);
        self.documents.insert(name, document);
        if !self.is_over {
            self.queue.insert(name);
        }
    }

    /// The chunks that a document has after the swap, where that is known.
    fn next(document: &Document) -> &[(Id, Text)] {
        if document.next.is_empty() { &document.present } else { &document.next }
    }

    /// A worker cuts the first document of the queue, and sends the first text without a vector.
    fn work(&mut self) {
        if self.under_way.is_some() {
            return;
        }
        let Some(name) = self.queue.first().copied() else { return };
        let Some(mut document) = self.documents.remove(&name) else {
            self.queue.remove(&name);
            return;
        };
        let pieces = cut(&document.text, self.sizes[1]);
        let is_same = document.present.iter().map(|(_, text)| text).eq(&pieces);
        let mut ids = Ids::new(document.present.clone(), std::mem::take(&mut document.next));
        if !is_same {
            for piece in pieces {
                let id = ids.take(&piece).unwrap_or_else(|| self.id());
                document.next.push((id, piece));
            }
        }
        for id in ids.left() {
            self.next_vectors.remove(&id);
        }
        document.is_stale = false;
        match World::next(&document).iter().find(|(id, _)| !self.next_vectors.contains_key(id)) {
            Some((id, text)) => {
                *self.sent.entry(*id).or_default() += 1;
                self.under_way = Some((name, *id, text.clone()));
            }
            None => {
                self.queue.remove(&name);
            }
        }
        self.documents.insert(name, document);
    }

    /// The vector is kept if the chunk is still one of the document.
    fn answer(&mut self) {
        let Some((name, id, text)) = self.under_way.take() else { return };
        let has = |chunks: &[(Id, Text)]| chunks.iter().any(|(known, _)| *known == id);
        if self.documents.get(&name).is_some_and(|d| has(&d.present) || has(&d.next)) {
            self.next_vectors.insert(id, text);
        }
    }

    fn swap(&mut self) {
        if self.is_over || !self.queue.is_empty() || self.under_way.is_some() {
            return;
        }
        for document in self.documents.values_mut() {
            assert!(!document.is_stale, "a stale document without a job");
            if !document.next.is_empty() {
                document.present = std::mem::take(&mut document.next);
            }
        }
        self.vectors = std::mem::take(&mut self.next_vectors);
        self.is_over = true;
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Write(name, text) => self.write(name, text),
            Step::Delete(name) => drop(self.documents.remove(&name)),
            Step::Work if !self.is_over => self.work(),
            Step::Answer => self.answer(),
            Step::Crash => self.lost += usize::from(self.under_way.take().is_some()),
            Step::Swap => self.swap(),
            Step::Work => {}
        }
    }

    fn times_sent(&self) -> usize {
        self.sent.values().sum()
    }

    fn check(&self) {
        for document in self.documents.values() {
            let texts: Vec<Text> = document.present.iter().map(|(_, text)| text.clone()).collect();
            assert_eq!(texts, cut(&document.text, self.size()), "a document without all of its chunks");
            for (id, text) in &document.present {
                assert_eq!(self.vectors.get(id), Some(text), "a chunk without its vector");
            }
        }
        let again: usize = self.sent.values().map(|times| times - 1).sum();
        assert!(again <= self.lost, "{again} texts were sent again, {} calls were lost", self.lost);
    }
}

fn text() -> impl Strategy<Value = Text> {
    proptest::collection::vec(b'a'..=b'c', 0..9)
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0u8..4, text()).prop_map(|(name, text)| Step::Write(name, text)),
        1 => (0u8..4).prop_map(Step::Delete),
        6 => Just(Step::Work),
        6 => Just(Step::Answer),
        1 => Just(Step::Crash),
        2 => Just(Step::Swap),
    ]
}

proptest! {
    #[test]
    fn a_change_loses_nothing_in_any_order(
        sizes in [1usize..5, 1usize..5],
        texts in proptest::collection::vec(text(), 1..4),
        steps in proptest::collection::vec(step(), 0..60),
    ) {
        let mut world = World::new(sizes, &texts);
        world.check();
        for step in steps {
            world.step(step);
            world.check();
        }
        // Without further writes it ends.
        let drain = |world: &mut World| {
            for _ in 0..500 {
                world.step(Step::Work);
                world.step(Step::Answer);
            }
        };
        drain(&mut world);
        // Documents that are queued again have all that they need.
        let sent = world.times_sent();
        world.queue = world.documents.keys().copied().filter(|_| !world.is_over).collect();
        drain(&mut world);
        prop_assert_eq!(world.times_sent(), sent);
        world.step(Step::Swap);
        world.check();
        prop_assert!(world.is_over);
    }
}
