//! The WordPiece vocabulary of `vocab.txt`, stored compactly: all entries in one text, the start of each, and
//! a hash table of ids (about 0.6 MB for 30,522 entries; a map of strings takes 3 MB).

use std::path::Path;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use crate::error::Error;
use crate::files;

/// The largest vocabulary file read, in bytes; the multilingual BERT's has 1 MB.
const FILE_LIMIT: u64 = 16 << 20;
/// Marks an entry that continues a word.
const CONTINUATION: &[u8] = b"##";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The piece begins a word.
    Start,
    /// The piece continues a word: it is preceded by `##` in the file.
    Inside,
}

pub(crate) struct Vocabulary {
    entries: Entries,
    ids: HashTable<u32>,
    longest: usize,
    pub(crate) cls: u32,
    pub(crate) sep: u32,
    pub(crate) unk: u32,
}

impl Vocabulary {
    /// Reads `vocab.txt`, which must have exactly `size` lines.
    pub(crate) fn read(directory: &Path, size: usize) -> Result<Vocabulary, Error> {
        let path = directory.join("vocab.txt");
        Vocabulary::parse(&path, files::read_text(&path, FILE_LIMIT)?, size)
    }

    pub(crate) fn parse(path: &Path, text: String, size: usize) -> Result<Vocabulary, Error> {
        let lines = text.lines().count();
        if lines != size {
            return Err(Error::invalid(
                path,
                format!("has {lines} lines, config.json's vocab_size is {size}"),
            ));
        }
        let mut vocabulary = Vocabulary {
            entries: Entries::new(&text, lines),
            ids: HashTable::with_capacity(lines),
            longest: text.lines().map(str::len).max().unwrap_or(0),
            cls: 0,
            sep: 0,
            unk: 0,
        };
        vocabulary.fill(path)?;
        let special = |name: &str| {
            vocabulary
                .find(Place::Start, name.as_bytes())
                .ok_or_else(|| Error::invalid(path, format!("has no {name} entry")))
        };
        let (cls, sep, unk) = (special("[CLS]")?, special("[SEP]")?, special("[UNK]")?);
        Ok(Vocabulary { cls, sep, unk, ..vocabulary })
    }

    /// Puts every id into the hash table.
    fn fill(&mut self, path: &Path) -> Result<(), Error> {
        let entries = &self.entries;
        for id in 0..entries.len() {
            let same = |&other: &u32| entries.get(other) == entries.get(id);
            let hash_of = |&other: &u32| hash(&[], entries.get(other));
            let found = self.ids.entry(hash(&[], entries.get(id)), same, hash_of);
            match found {
                Entry::Vacant(place) => {
                    place.insert(id);
                }
                Entry::Occupied(first) => {
                    let (first, second) = (first.get() + 1, id + 1);
                    return Err(Error::invalid(path, format!("lines {first} and {second} are the same")));
                }
            }
        }
        Ok(())
    }

    /// The id of a piece of a word.
    pub(crate) fn find(&self, place: Place, piece: &[u8]) -> Option<u32> {
        let prefix = match place {
            Place::Start => &[],
            Place::Inside => CONTINUATION,
        };
        let same = |&id: &u32| self.entries.get(id).strip_prefix(prefix) == Some(piece);
        self.ids.find(hash(prefix, piece), same).copied()
    }

    /// The length in bytes of the longest entry: no piece is longer.
    pub(crate) fn longest(&self) -> usize {
        self.longest
    }
}

/// The lines of the file, concatenated in one allocation.
struct Entries {
    text: Box<str>,
    /// Where each entry ends in `text`, after a 0: entry `id` is between `bounds[id]` and the next.
    bounds: Box<[u32]>,
}

impl Entries {
    fn new(lines: &str, count: usize) -> Entries {
        let mut text = String::with_capacity(lines.len());
        let mut bounds = Vec::with_capacity(count + 1);
        bounds.push(0);
        for line in lines.lines() {
            text.push_str(line);
            bounds.push(text.len() as u32);
        }
        Entries { text: text.into(), bounds: bounds.into() }
    }

    fn len(&self) -> u32 {
        self.bounds.len() as u32 - 1
    }

    fn get(&self, id: u32) -> &[u8] {
        let id = id as usize;
        &self.text.as_bytes()[self.bounds[id] as usize..self.bounds[id + 1] as usize]
    }
}

/// FNV-1a: fast on the few bytes of a piece. The keys come from the model, so no attacker can choose them to
/// collide.
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
        Vocabulary::parse(Path::new("vocab.txt"), text.to_owned(), size).map_err(|error| error.to_string())
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
    fn rejects_files_that_are_not_a_vocabulary() {
        let error = |text, size| parse(text, size).err().unwrap();
        assert_eq!(error("[UNK]\n[CLS]\n", 3), "vocab.txt: has 2 lines, config.json's vocab_size is 3");
        assert_eq!(error("[UNK]\n[CLS]\nx\n", 3), "vocab.txt: has no [SEP] entry");
        assert_eq!(error("[UNK]\n[CLS]\n[SEP]\n[CLS]\n", 4), "vocab.txt: lines 2 and 4 are the same");
    }
}
