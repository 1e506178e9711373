//! The WordPiece vocabulary: all entries in one text, where each ends, and a hash table of ids. It is made from `vocab.txt`, or
//! mapped from the file of the int8 weights, which have it ready: processes share its 0.6 MB for 30,522 entries, and open it at once.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::Path;

use crate::error::Error;
use crate::files;
use crate::mapped::{Element, MappedFile, Tensor};
use crate::tensor_file::{Section, TensorFile};

/// The file within the model's directory.
const FILE: &str = "vocab.txt";
/// The largest vocabulary file read, in bytes; the multilingual BERT's has 1 MB.
const FILE_LIMIT: u64 = 16 << 20;
/// Marks an entry that continues a word.
const CONTINUATION: &[u8] = b"##";

/// The tensors of a vocabulary that is ready, and the note of the length of the `vocab.txt` that it was made from.
const TEXT: &str = "vocabulary.text";
const ENDS: &str = "vocabulary.ends";
const SLOTS: &str = "vocabulary.slots";
const LENGTH_KEY: &str = "kb_rag.vocabulary";

/// A slot of the table has the id of an entry in these bits, and above them bits of its hash, by which most other pieces are told
/// apart without reading the entry.
const ID_BITS: u32 = 20;
const ID_MASK: u32 = (1 << ID_BITS) - 1;
/// A slot without an entry.
const EMPTY: u32 = u32::MAX;
/// The most entries: an id must not look like an empty slot.
const MAX_ENTRIES: usize = ID_MASK as usize;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The piece begins a word.
    Start,
    /// The piece continues a word: it is preceded by `##` in the file.
    Inside,
}

pub(crate) struct Vocabulary {
    /// The entries, concatenated.
    text: List<u8>,
    /// Where each entry ends in `text`.
    ends: List<u32>,
    /// An open hash table with linear probing, whose length is a power of two.
    slots: List<u32>,
    longest: usize,
    pub(crate) cls: u32,
    pub(crate) sep: u32,
    pub(crate) unk: u32,
}

/// Numbers in memory of the process, or in a mapped file.
enum List<T: Element> {
    Owned(Box<[T]>),
    Mapped(Tensor<T>),
}

impl<T: Element> Deref for List<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            List::Owned(list) => list,
            List::Mapped(list) => list,
        }
    }
}

impl Vocabulary {
    /// The vocabulary of `size` entries of a model: that in the file of its weights if they have it, otherwise that of `vocab.txt`,
    /// which must have exactly so many lines.
    pub(crate) fn open(directory: &Path, weights: &MappedFile, size: usize) -> Result<Vocabulary, Error> {
        let path = directory.join(FILE);
        if let Some(note) = weights.notes().and_then(|notes| notes.get(LENGTH_KEY)) {
            return Vocabulary::map(&path, note, weights, size);
        }
        Vocabulary::parse(&path, &files::read_text(&path, FILE_LIMIT)?, size)
    }

    pub(crate) fn parse(path: &Path, text: &str, size: usize) -> Result<Vocabulary, Error> {
        let lines = text.lines().count();
        if lines != size {
            return Err(Error::invalid(
                path,
                format!("has {lines} lines, config.json's vocab_size is {size}"),
            ));
        }
        if lines > MAX_ENTRIES {
            return Err(Error::unsupported(
                path,
                format!("has {lines} lines, at most {MAX_ENTRIES} are supported"),
            ));
        }
        let mut entries = Vec::with_capacity(text.len());
        let mut ends = Vec::with_capacity(lines);
        for line in text.lines() {
            entries.extend_from_slice(line.as_bytes());
            ends.push(entries.len() as u32);
        }
        let slots = vec![EMPTY; (2 * lines).next_power_of_two()];
        let mut vocabulary = Vocabulary::of_lists(
            List::Owned(entries.into()),
            List::Owned(ends.into()),
            List::Owned(Box::default()),
            text.lines().map(str::len).max().unwrap_or(0),
        );
        vocabulary.slots = List::Owned(vocabulary.fill(path, slots)?.into());
        vocabulary.with_special(path)
    }

    /// That of the weights, made from the `vocab.txt` beside them, which is only measured. Its numbers are not checked: wrong ones give
    /// wrong ids.
    fn map(path: &Path, note: &str, weights: &MappedFile, size: usize) -> Result<Vocabulary, Error> {
        let length = std::fs::metadata(path).map_err(|error| Error::io(path, &error))?.len();
        let (noted, longest) = note.split_once(' ').unwrap_or_default();
        let invalid = |problem: String| Err(Error::invalid(weights.path(), problem));
        if noted != length.to_string() {
            return invalid(format!(
                "was made with a {FILE} of {noted} bytes, this one has {length}; quantize the model again"
            ));
        }
        let (ends, slots) = (weights.list::<u32>(ENDS)?, weights.list::<u32>(SLOTS)?);
        if ends.len() != size || !slots.len().is_power_of_two() {
            return invalid(format!(
                "has a vocabulary of {} entries, config.json's vocab_size is {size}",
                ends.len()
            ));
        }
        let Ok(longest) = longest.parse() else {
            return invalid(format!("{LENGTH_KEY} is not two numbers; quantize the model again"));
        };
        let text = List::Mapped(weights.list::<u8>(TEXT)?);
        Vocabulary::of_lists(text, List::Mapped(ends), List::Mapped(slots), longest).with_special(path)
    }

    /// Puts the vocabulary of `vocab.txt`, if the directory has one, into a file of weights, with a note for its header.
    pub(crate) fn put(
        directory: &Path,
        size: usize,
        file: &mut TensorFile,
        notes: &mut BTreeMap<&'static str, String>,
    ) -> Result<(), Error> {
        let path = directory.join(FILE);
        if !path.exists() {
            return Ok(());
        }
        let text = files::read_text(&path, FILE_LIMIT)?;
        let vocabulary = Vocabulary::parse(&path, &text, size)?;
        let bytes = |numbers: &[u32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        file.put(Section::Characters, TEXT, &[vocabulary.text.len()], vocabulary.text.to_vec());
        for (name, numbers) in [(ENDS, &vocabulary.ends), (SLOTS, &vocabulary.slots)] {
            file.put(Section::Integers, name, &[numbers.len()], bytes(numbers));
        }
        notes.insert(LENGTH_KEY, format!("{} {}", text.len(), vocabulary.longest));
        Ok(())
    }

    fn of_lists(text: List<u8>, ends: List<u32>, slots: List<u32>, longest: usize) -> Vocabulary {
        Vocabulary { text, ends, slots, longest, cls: 0, sep: 0, unk: 0 }
    }

    /// With the ids of the entries that every vocabulary has.
    fn with_special(self, path: &Path) -> Result<Vocabulary, Error> {
        let special = |name: &str| {
            self.find(Place::Start, name.as_bytes())
                .ok_or_else(|| Error::invalid(path, format!("has no {name} entry")))
        };
        let (cls, sep, unk) = (special("[CLS]")?, special("[SEP]")?, special("[UNK]")?);
        Ok(Vocabulary { cls, sep, unk, ..self })
    }

    /// Puts every id into the empty slots of a hash table, of which it takes at most half.
    fn fill(&self, path: &Path, mut slots: Vec<u32>) -> Result<Vec<u32>, Error> {
        for id in 0..self.ends.len() as u32 {
            let entry = self.entry(id).unwrap_or_default();
            let (first, tag) = place_of(hash(&[], entry), slots.len());
            let mut at = first;
            while slots[at] != EMPTY {
                let other = slots[at] & ID_MASK;
                if self.entry(other) == Some(entry) {
                    let (first, second) = (other + 1, id + 1);
                    return Err(Error::invalid(path, format!("lines {first} and {second} are the same")));
                }
                at = (at + 1) % slots.len();
            }
            slots[at] = tag | id;
        }
        Ok(slots)
    }

    /// The id of a piece of a word.
    pub(crate) fn find(&self, place: Place, piece: &[u8]) -> Option<u32> {
        let prefix = match place {
            Place::Start => &[],
            Place::Inside => CONTINUATION,
        };
        let slots: &[u32] = &self.slots;
        let (first, tag) = place_of(hash(prefix, piece), slots.len());
        let (before, after) = slots.split_at_checked(first)?;
        let may_be = after
            .iter()
            .chain(before)
            .take_while(|slot| **slot != EMPTY)
            .filter(|slot| *slot & !ID_MASK == tag);
        may_be
            .map(|slot| slot & ID_MASK)
            .find(|id| self.entry(*id).and_then(|entry| entry.strip_prefix(prefix)) == Some(piece))
    }

    /// The length in bytes of the longest entry: no piece is longer.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }

    fn entry(&self, id: u32) -> Option<&[u8]> {
        let id = id as usize;
        let ends: &[u32] = &self.ends;
        let start = if id == 0 { 0 } else { *ends.get(id - 1)? };
        self.text.get(start as usize..*ends.get(id)? as usize)
    }
}

/// The slot of a hash in a table of a power of two of slots, and its bits that the slot has above the id.
fn place_of(hash: u64, slots: usize) -> (usize, u32) {
    (hash as usize & slots.wrapping_sub(1), (hash >> 32) as u32 & !ID_MASK)
}

/// FNV-1a: fast on the few bytes of a piece. The keys come from the model, so no attacker can choose them to
/// collide. The tables in files depend on it.
fn hash(prefix: &[u8], piece: &[u8]) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    let hash = prefix.iter().chain(piece).fold(0xcbf2_9ce4_8422_2325, step);
    // FNV leaves the top bits weak, by which the table tells entries apart before it compares them: MurmurHash3's last steps.
    let hash = (hash ^ hash >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^ hash >> 33
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str, size: usize) -> Result<Vocabulary, String> {
        Vocabulary::parse(Path::new("vocab.txt"), text, size).map_err(|error| error.to_string())
    }

    #[test]
    fn finds_starts_and_continuations() {
        let vocabulary = parse("[UNK]\n[CLS]\r\n[SEP]\nsun\n##sun\nö\n", 6).unwrap();
        assert_eq!((vocabulary.unk, vocabulary.cls, vocabulary.sep), (0, 1, 2));
        assert_eq!(vocabulary.find(Place::Start, b"sun"), Some(3));
        assert_eq!(vocabulary.find(Place::Inside, b"sun"), Some(4));
        assert_eq!(vocabulary.find(Place::Start, "ö".as_bytes()), Some(5));
        assert_eq!(vocabulary.find(Place::Inside, "ö".as_bytes()), None);
        assert_eq!(vocabulary.find(Place::Start, b""), None);
        assert_eq!(vocabulary.longest(), 5);
    }

    #[test]
    fn finds_each_entry_and_nothing_else() {
        let text: String = "[UNK]\n[CLS]\n[SEP]\n"
            .lines()
            .map(str::to_owned)
            .chain((0..5000).map(|n| format!("w{n}")))
            .map(|line| line + "\n")
            .collect();
        let vocabulary = parse(&text, 5003).unwrap();
        for n in 0..50_000 {
            let expected = (n < 5000).then_some(n + 3);
            assert_eq!(vocabulary.find(Place::Start, format!("w{n}").as_bytes()), expected, "w{n}");
        }
    }

    #[test]
    fn rejects_files_that_are_not_a_vocabulary() {
        let error = |text, size| parse(text, size).err().unwrap();
        assert_eq!(error("[UNK]\n[CLS]\n", 3), "vocab.txt: has 2 lines, config.json's vocab_size is 3");
        assert_eq!(error("[UNK]\n[CLS]\nx\n", 3), "vocab.txt: has no [SEP] entry");
        assert_eq!(error("[UNK]\n[CLS]\n[SEP]\n[CLS]\n", 4), "vocab.txt: lines 2 and 4 are the same");
    }
}
