//! The ids of chunks when a document is cut again for a pending model. A chunk with a text that is there already keeps its id, and
//! so the vector that was made, or is being made, of that text: each text is embedded once.

use std::collections::{HashMap, HashSet, VecDeque};
use std::hash::Hash;

/// Chunks of a document by a hash of their text, from which the new ones take their ids.
#[derive(Debug)]
pub struct Ids<I, H> {
    /// The id, and whether the chunk is one of those in use. Of equal texts the first comes first.
    known: HashMap<H, VecDeque<(I, bool)>>,
}

impl<I: Copy + Eq + Hash, H: Eq + Hash> Ids<I, H> {
    /// `present` are the chunks in use, `former` those that the document had for the pending model; of these, some are in use as well.
    pub fn new(
        present: impl IntoIterator<Item = (I, H)>,
        former: impl IntoIterator<Item = (I, H)>,
    ) -> Ids<I, H> {
        let mut known: HashMap<H, VecDeque<(I, bool)>> = HashMap::new();
        let mut in_use = HashSet::new();
        for (id, hash) in present {
            in_use.insert(id);
            known.entry(hash).or_default().push_back((id, true));
        }
        for (id, hash) in former {
            if !in_use.contains(&id) {
                known.entry(hash).or_default().push_back((id, false));
            }
        }
        Ids { known }
    }

    /// The id of a chunk with this text, which no other gets. None if there is no such chunk.
    pub fn take(&mut self, hash: &H) -> Option<I> {
        self.known.get_mut(hash)?.pop_front().map(|(id, _)| id)
    }

    /// The ids of former chunks that no chunk has any more, and that are not in use: their vectors are of no use.
    pub fn left(self) -> Vec<I> {
        let left = self.known.into_values().flatten();
        left.filter(|(_, is_in_use)| !is_in_use).map(|(id, _)| id).collect()
    }
}
