//! The numbers of tokens of words that were counted lately. A vocabulary is larger than the fast caches of a processor, and most words of a
//! text come again.

/// The slots; a word has one place. 17 bytes each.
const SLOTS: usize = 2048;
/// The bytes of the longest word that is kept.
const MAX_LENGTH: usize = 15;

/// Words with their numbers of tokens: each replaces what its slot held.
pub(super) struct Words {
    /// The bytes of the word, and its length in the last one. No word is 0.
    keys: Box<[u128]>,
    counts: Box<[u8]>,
}

impl Words {
    pub(super) fn new() -> Words {
        Words { keys: vec![0; SLOTS].into(), counts: vec![0; SLOTS].into() }
    }

    /// The number of tokens of a part of a text: the one kept, or else that of `count`.
    pub(super) fn count(&mut self, word: &[u8], count: impl FnOnce() -> usize) -> usize {
        let mut bytes = [0; MAX_LENGTH + 1];
        let Some(part) = bytes.get_mut(..word.len()).filter(|_| word.len() <= MAX_LENGTH) else {
            return count();
        };
        part.copy_from_slice(word);
        bytes[MAX_LENGTH] = word.len() as u8;
        let key = u128::from_le_bytes(bytes);
        let slot = slot_of(key);
        if self.keys[slot] == key {
            return self.counts[slot].into();
        }
        let found = count();
        if let Ok(count) = u8::try_from(found) {
            (self.keys[slot], self.counts[slot]) = (key, count);
        }
        found
    }
}

/// Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4) of both halves.
fn slot_of(key: u128) -> usize {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    let (low, high) = (key as u64, (key >> 64) as u64);
    let mixed = (low.wrapping_mul(GOLDEN) ^ high).wrapping_mul(GOLDEN);
    (mixed >> 32) as usize % SLOTS
}
