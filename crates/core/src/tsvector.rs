//! Reads PostgreSQL's `tsvector` in place, without copying it.
//!
//! The layout is that of `TSVectorData` in PostgreSQL's `tsearch/ts_type.h`: a count, an array of entries
//! sorted by lexeme, and the lexemes. After each lexeme come its positions (aligned to 2 bytes): a count and
//! as many 16-bit words of 2 bits weight and 14 bits position.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::lexeme::MARK;

/// How often a lexeme occurs under each weight label, in the order D, C, B, A.
pub type Occurrences = [u32; 4];

/// The data of a `tsvector` after its varlena header.
#[derive(Clone, Copy, Debug)]
pub struct TsVector<'a> {
    /// 4 bytes an entry: 1 bit "has positions", 11 bits length, 20 bits offset of the lexeme.
    entries: &'a [u8],
    /// The lexemes and positions the entries point into.
    data: &'a [u8],
}

const COUNT_BYTES: usize = 4;
const ENTRY_BYTES: usize = 4;
const POSITION_BYTES: usize = 2;
/// Stands for the positions of a lexeme that has none.
const WITHOUT_POSITION: [u8; POSITION_BYTES] = [0; POSITION_BYTES];

impl<'a> TsVector<'a> {
    /// Takes the bytes after the varlena header. None if they are too short for their contents.
    pub fn new(bytes: &'a [u8]) -> Option<TsVector<'a>> {
        let count = i32::from_ne_bytes(bytes.get(..COUNT_BYTES)?.try_into().ok()?);
        let end = COUNT_BYTES + usize::try_from(count).ok()?.checked_mul(ENTRY_BYTES)?;
        Some(TsVector { entries: bytes.get(COUNT_BYTES..end)?, data: bytes.get(end..)? })
    }

    /// Each lexeme with its occurrences, in the order of [`Ord`] for byte strings. A lexeme without positions
    /// occurs once, with weight D. Ends early if the bytes are damaged.
    pub fn iter(&self) -> impl Iterator<Item = (&'a [u8], Occurrences)> + use<'a> {
        let data = self.data;
        self.entries.chunks_exact(ENTRY_BYTES).map_while(move |entry| {
            let entry = Entry::new(entry);
            Some((entry.lexeme(data)?, entry.occurrences(data)?))
        })
    }

    /// The occurrences of a lexeme, found by bisection; None if it is absent.
    pub fn find(&self, lexeme: &[u8]) -> Option<Occurrences> {
        self.entry(lexeme)?.occurrences(self.data)
    }

    fn entry(&self, lexeme: &[u8]) -> Option<Entry> {
        let (mut low, mut high) = (0, self.entries.len() / ENTRY_BYTES);
        while low < high {
            let middle = low.midpoint(high);
            let entry = Entry::new(self.entries.get(middle * ENTRY_BYTES..(middle + 1) * ENTRY_BYTES)?);
            match entry.lexeme(self.data)?.cmp(lexeme) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return Some(entry),
            }
        }
        None
    }

    /// The number of words in the text: the sum of all occurrences, without those of parts, which are marked
    /// ([`crate::lexeme::MARK`]).
    pub fn length(&self) -> u64 {
        self.entries
            .chunks_exact(ENTRY_BYTES)
            .map(Entry::new)
            .filter(|entry| !entry.is_of_part(self.data))
            .map(|entry| u64::from(entry.positions(self.data).map_or(1, |p| p.count)))
            .sum()
    }
}

/// Lexemes to look up in many vectors.
#[derive(Clone, Debug)]
pub struct Wanted {
    lexemes: Vec<Vec<u8>>,
    places: HashMap<Vec<u8>, usize>,
}

/// The cost of one step of a bisection, in units of looking up one entry.
const BISECTION_COST: f64 = 0.4;

impl Wanted {
    /// `lexemes` must be distinct.
    pub fn new(lexemes: Vec<Vec<u8>>) -> Wanted {
        let places = lexemes.iter().cloned().zip(0..).collect();
        Wanted { lexemes, places }
    }

    /// Passes the wanted lexemes that a vector contains to `work`, by index and in that order. The time is
    /// bounded by the length of the vector, whatever the number of wanted lexemes.
    pub fn find(&self, vector: &TsVector, work: impl FnMut(usize, Occurrences)) {
        self.find_entries(vector, |entry| entry.occurrences(vector.data), work);
    }

    /// The same with label and position of their occurrences, in the order of the text. Without positions there are none.
    pub fn find_positions(
        &self,
        vector: &TsVector,
        mut work: impl FnMut(usize, &mut dyn Iterator<Item = (usize, u16)>),
    ) {
        self.find_entries(
            vector,
            |entry| entry.places(vector.data),
            |lexeme, mut places| work(lexeme, &mut places),
        );
    }

    /// The same with the labels of their occurrences, 0 to 3 for D to A, in the order of the text.
    pub fn find_labels(
        &self,
        vector: &TsVector,
        mut work: impl FnMut(usize, &mut dyn Iterator<Item = usize>),
    ) {
        self.find_entries(
            vector,
            |entry| entry.labels(vector.data),
            |place, mut labels| work(place, &mut labels),
        );
    }

    fn find_entries<T>(
        &self,
        vector: &TsVector,
        read: impl Fn(Entry) -> Option<T>,
        mut work: impl FnMut(usize, T),
    ) {
        let entries = vector.entries.len() / ENTRY_BYTES;
        if (self.lexemes.len() as f64) * (entries as f64 + 1.0).log2() * BISECTION_COST <= entries as f64 {
            for (place, lexeme) in self.lexemes.iter().enumerate() {
                if let Some(found) = vector.entry(lexeme).and_then(&read) {
                    work(place, found);
                }
            }
            return;
        }
        let found = vector.entries.chunks_exact(ENTRY_BYTES).filter_map(|entry| {
            let entry = Entry::new(entry);
            let place = self.places.get(entry.lexeme(vector.data)?)?;
            Some((*place, read(entry)?))
        });
        let mut found: Vec<(usize, T)> = found.collect();
        found.sort_unstable_by_key(|(place, _)| *place);
        found.into_iter().for_each(|(place, found)| work(place, found));
    }
}

/// The most bytes in a lexeme.
pub const MAX_LEXEME_BYTES: usize = (1 << 11) - 2;

/// One entry of the array.
#[derive(Clone, Copy)]
struct Entry {
    has_positions: bool,
    length: usize,
    offset: usize,
}

/// The positions of a lexeme.
struct Positions<'a> {
    count: u32,
    words: &'a [u8],
}

impl Entry {
    fn new(bytes: &[u8]) -> Entry {
        let word = bytes.try_into().map_or(0, u32::from_ne_bytes);
        // C lays out bit-fields from the low end on little-endian machines and from the high end on others.
        let (has_positions, length, offset) = if cfg!(target_endian = "little") {
            (word & 1, word >> 1 & 0x7ff, word >> 12)
        } else {
            (word >> 31, word >> 20 & 0x7ff, word & 0xf_ffff)
        };
        Entry { has_positions: has_positions == 1, length: length as usize, offset: offset as usize }
    }

    fn lexeme<'a>(&self, data: &'a [u8]) -> Option<&'a [u8]> {
        data.get(self.offset..self.offset + self.length)
    }

    fn is_of_part(&self, data: &[u8]) -> bool {
        self.length > 1 && data.get(self.offset + self.length - 1).is_some_and(|byte| *byte == MARK as u8)
    }

    /// None if the lexeme has no positions, or they do not fit the data.
    fn positions<'a>(&self, data: &'a [u8]) -> Option<Positions<'a>> {
        if !self.has_positions {
            return None;
        }
        let at = (self.offset + self.length).next_multiple_of(POSITION_BYTES);
        let count = u16::from_ne_bytes(data.get(at..at + 2)?.try_into().ok()?);
        let start = at + POSITION_BYTES;
        let words = data.get(start..start + usize::from(count) * POSITION_BYTES)?;
        Some(Positions { count: u32::from(count), words })
    }

    /// The label of each occurrence. A lexeme without positions has one occurrence, with label D. None if the
    /// data is damaged.
    fn labels<'a>(&self, data: &'a [u8]) -> Option<impl Iterator<Item = usize> + use<'a>> {
        Some(self.places(data)?.map(|(label, _)| label))
    }

    /// Label and position of each occurrence; position 0 if it has none.
    fn places<'a>(&self, data: &'a [u8]) -> Option<impl Iterator<Item = (usize, u16)> + use<'a>> {
        let words = if self.has_positions { self.positions(data)?.words } else { &WITHOUT_POSITION };
        Some(words.chunks_exact(POSITION_BYTES).map(|word| {
            let word = word.try_into().map_or(0, u16::from_ne_bytes);
            (usize::from(word >> 14), word & 0x3fff)
        }))
    }

    fn occurrences(&self, data: &[u8]) -> Option<Occurrences> {
        let mut occurrences = Occurrences::default();
        for label in self.labels(data)? {
            if let Some(count) = occurrences.get_mut(label) {
                *count += 1;
            }
        }
        Some(occurrences)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    impl Entry {
        fn to_bytes(self) -> [u8; ENTRY_BYTES] {
            let (has, length, offset) =
                (u32::from(self.has_positions), self.length as u32, self.offset as u32);
            if cfg!(target_endian = "little") {
                has | length << 1 | offset << 12
            } else {
                has << 31 | length << 20 | offset
            }
            .to_ne_bytes()
        }
    }

    /// A tsvector as PostgreSQL writes it, from lexemes with (weight 0..=3, position) pairs.
    pub(crate) fn build(lexemes: &BTreeMap<Vec<u8>, Vec<(u16, u16)>>) -> Vec<u8> {
        let mut entries = Vec::new();
        let mut data = Vec::new();
        for (lexeme, positions) in lexemes {
            let has = u32::from(!positions.is_empty());
            let entry = Entry { has_positions: has == 1, length: lexeme.len(), offset: data.len() };
            entries.extend(entry.to_bytes());
            data.extend(lexeme);
            if !positions.is_empty() {
                if data.len() % 2 == 1 {
                    data.push(0);
                }
                data.extend((positions.len() as u16).to_ne_bytes());
                for (weight, position) in positions {
                    data.extend((weight << 14 | position).to_ne_bytes());
                }
            }
        }
        [(lexemes.len() as i32).to_ne_bytes().to_vec(), entries, data].concat()
    }

    type Lexemes = BTreeMap<Vec<u8>, Vec<(u16, u16)>>;

    fn lexemes() -> impl Strategy<Value = Lexemes> {
        prop::collection::btree_map(
            prop::collection::vec(any::<u8>(), 1..12),
            prop::collection::vec((0u16..4, 1u16..1000), 0..6),
            0..20,
        )
    }

    proptest! {
        #[test]
        fn reads_what_was_written(lexemes in lexemes()) {
            let bytes = build(&lexemes);
            let read: Vec<_> = TsVector::new(&bytes).unwrap().iter().collect();
            prop_assert_eq!(read.len(), lexemes.len());
            for ((lexeme, occurrences), (expected, positions)) in read.iter().zip(&lexemes) {
                prop_assert_eq!(*lexeme, expected.as_slice());
                let mut counts = Occurrences::default();
                positions.iter().for_each(|(weight, _)| counts[usize::from(*weight)] += 1);
                if positions.is_empty() {
                    counts[0] = 1;
                }
                prop_assert_eq!(*occurrences, counts);
            }
            let vector = TsVector::new(&bytes).unwrap();
            for (lexeme, occurrences) in read {
                prop_assert_eq!(vector.find(lexeme), Some(occurrences));
                let absent = [lexeme, b"\0"].concat();
                prop_assert_eq!(vector.find(&absent).is_some(), lexemes.contains_key(&absent));
            }
            prop_assert_eq!(vector.find(b""), None);
            let is_word = |lexeme: &&Vec<u8>| lexeme.len() == 1 || lexeme.last() != Some(&1);
            let words = lexemes.iter().filter(|(lexeme, _)| is_word(lexeme));
            let length: usize = words.map(|(_, positions)| positions.len().max(1)).sum();
            prop_assert_eq!(TsVector::new(&bytes).unwrap().length(), length as u64);
        }

        #[test]
        fn wanted_lexemes_are_found_in_their_order(
            lexemes in lexemes(),
            others in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..4), 0..80),
            seed in any::<u64>(),
        ) {
            let bytes = build(&lexemes);
            let vector = TsVector::new(&bytes).unwrap();
            let mut wanted: Vec<Vec<u8>> = lexemes.keys().step_by(2).cloned().chain(others).collect();
            wanted.sort();
            wanted.dedup();
            let turn = seed as usize % wanted.len().max(1);
            wanted.rotate_left(turn);
            let expected: Vec<_> =
                wanted.iter().enumerate().filter_map(|(place, lexeme)| Some((place, vector.find(lexeme)?))).collect();
            let mut found = Vec::new();
            Wanted::new(wanted).find(&vector, |place, occurrences| found.push((place, occurrences)));
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn survives_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Some(vector) = TsVector::new(&bytes) {
                vector.iter().for_each(drop);
                vector.length();
                vector.find(b"x");
            }
        }

        #[test]
        fn survives_a_cut(lexemes in lexemes(), keep in 0usize..400) {
            let bytes = build(&lexemes);
            if let Some(vector) = TsVector::new(&bytes[..keep.min(bytes.len())]) {
                prop_assert!(vector.iter().count() <= lexemes.len());
            }
        }
    }
}
