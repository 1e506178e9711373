//! A set of ordinals.

/// A set of ordinals of the chunks of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bitmap {
    chunks: u32,
    words: Vec<u64>,
}

const WORD_BITS: u32 = u64::BITS;

impl Bitmap {
    /// The empty set for a segment with this many chunks.
    pub fn new(chunks: u32) -> Bitmap {
        Bitmap { chunks, words: vec![0; chunks.div_ceil(WORD_BITS) as usize] }
    }

    /// The set of all ordinals of a segment with this many chunks.
    pub fn all(chunks: u32) -> Bitmap {
        let mut words = vec![u64::MAX; chunks.div_ceil(WORD_BITS) as usize];
        if let (Some(last), rest @ 1..) = (words.last_mut(), chunks % WORD_BITS) {
            *last = (1 << rest) - 1;
        }
        Bitmap { chunks, words }
    }

    /// Adds an ordinal; one that the segment does not have is ignored.
    pub fn set(&mut self, ordinal: u32) {
        if let (true, Some(word)) =
            (ordinal < self.chunks, self.words.get_mut((ordinal / WORD_BITS) as usize))
        {
            *word |= 1 << (ordinal % WORD_BITS);
        }
    }

    /// Removes all ordinals.
    pub(super) fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Whether an ordinal is in the set.
    pub fn contains(&self, ordinal: u32) -> bool {
        self.words
            .get((ordinal / WORD_BITS) as usize)
            .is_some_and(|word| word >> (ordinal % WORD_BITS) & 1 == 1)
    }

    /// The size of the set.
    pub fn count(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// Keeps what is in `other`, too.
    pub fn and_with(&mut self, other: &Bitmap) {
        let others = other.words.iter().copied().chain(std::iter::repeat(0));
        self.words.iter_mut().zip(others).for_each(|(word, other)| *word &= other);
    }

    /// Adds what is in `other`, which belongs to a segment of the same size.
    pub fn or_with(&mut self, other: &Bitmap) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
    }

    /// Removes what is in `other`.
    pub fn remove(&mut self, other: &Bitmap) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= !other);
    }

    /// The ordinals in the set, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.range(0, self.chunks)
    }

    /// The ordinals in the set from `from` to before `until`, ascending.
    pub(super) fn range(&self, from: u32, until: u32) -> impl Iterator<Item = u32> + '_ {
        let first = from / WORD_BITS;
        let end = (until.div_ceil(WORD_BITS) as usize).min(self.words.len());
        let words = self.words.get(first as usize..end).unwrap_or_default();
        words
            .iter()
            .zip(first..)
            .flat_map(|(word, at)| Bits { word: *word, base: at * WORD_BITS })
            .skip_while(move |ordinal| *ordinal < from)
            .take_while(move |ordinal| *ordinal < until)
    }

    /// The size of the set from `from`, a multiple of 64, to before `until`, a multiple too or the end.
    pub(super) fn count_range(&self, from: u32, until: u32) -> u32 {
        let end = (until.div_ceil(WORD_BITS) as usize).min(self.words.len());
        let words = self.words.get((from / WORD_BITS) as usize..end).unwrap_or_default();
        words.iter().map(|word| word.count_ones()).sum()
    }
}

/// The bits of a word, from the lowest.
struct Bits {
    word: u64,
    base: u32,
}

impl Iterator for Bits {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.word == 0 {
            return None;
        }
        let bit = self.word.trailing_zeros();
        self.word &= self.word - 1;
        Some(self.base + bit)
    }
}
