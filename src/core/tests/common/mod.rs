//! The properties of chunking, checked on one text.
#![allow(clippy::unwrap_used)] // helpers of tests fail their test
#![allow(dead_code)] // each test program uses a part

use kb_rag_core::chunk::{Chunk, Settings, Strategy, chunks};
use unicode_segmentation::UnicodeSegmentation;

/// White space that may be trimmed: a grapheme cluster of nothing else.
pub fn content_bytes(text: &str) -> Vec<bool> {
    let mut content = vec![false; text.len()];
    for (at, cluster) in text.grapheme_indices(true) {
        for (offset, c) in cluster.char_indices() {
            // In a cluster of white space and marks the space right before the marks is content; a space
            // after a prepended mark is not.
            let rest = &cluster[offset + c.len_utf8()..];
            if !c.is_whitespace() || !rest.chars().all(char::is_whitespace) {
                content[at + offset..at + offset + c.len_utf8()].fill(true);
            }
        }
    }
    content
}

pub fn split(text: &str, size: usize, overlap: usize, strategy: Strategy) -> Vec<Chunk> {
    chunks(text, &Settings::new(size, overlap, strategy).unwrap()).collect()
}

/// Checks every property of `strategy` on `text`; returns the chunks.
pub fn check(text: &str, size: usize, overlap: usize, strategy: Strategy) -> Vec<Chunk> {
    let found = split(text, size, overlap, strategy);
    let case = || format!("{strategy:?} {size}/{overlap} on {text:?}: {found:?}");
    assert_eq!(found, split(text, size, overlap, strategy), "deterministic");
    let content = content_bytes(text);
    let visible = |bytes: std::ops::Range<usize>| !text[bytes].trim().is_empty();
    let first = content.iter().position(|&c| c);
    let last = content.iter().rposition(|&c| c);
    let (mut covered, mut chars_to) = (0, (0, 0));
    for (index, chunk) in found.iter().enumerate() {
        let passage = &text[chunk.bytes.clone()];
        assert!(!passage.trim().is_empty(), "blank chunk {index}: {}", case());
        let length = passage.chars().count();
        assert!(length <= size || strategy == Strategy::None, "oversize chunk {index}: {}", case());
        assert_eq!(length, chunk.chars.len(), "offsets disagree: {}", case());
        let (byte, count) = chars_to;
        let start = count + text[byte..chunk.bytes.start].chars().count();
        assert_eq!(start, chunk.chars.start, "character offset of chunk {index}: {}", case());
        chars_to = (chunk.bytes.start, start);
        assert!(content[chunk.bytes.start], "leading white space in chunk {index}: {}", case());
        assert!(content[chunk.bytes.end - 1], "trailing white space in chunk {index}: {}", case());
        if let Some(before) = index.checked_sub(1).map(|before| &found[before]) {
            assert!(before.bytes.start < chunk.bytes.start, "starts increase: {}", case());
            assert!(before.bytes.end < chunk.bytes.end, "ends increase: {}", case());
            let shared = before.chars.end.saturating_sub(chunk.chars.start);
            assert!(shared <= overlap, "overlap {shared} at chunk {index}: {}", case());
            let fresh = before.bytes.end.max(chunk.bytes.start);
            assert!(visible(fresh..chunk.bytes.end), "nothing new: {}", case());
        }
        if chunk.bytes.start > covered {
            assert!(!visible(covered..chunk.bytes.start), "lost before {index}: {}", case());
        }
        covered = chunk.bytes.end;
    }
    assert!(!visible(covered..text.len()), "lost at the end: {}", case());
    if let (Some(first), Some(last)) = (first, last) {
        if strategy == Strategy::None {
            assert_eq!(found.len(), 1, "{}", case());
        }
        let mut end = last + 1;
        while !text.is_char_boundary(end) {
            end += 1;
        }
        if text[first..end].chars().count() <= size {
            assert_eq!(found.len(), 1, "fits one chunk: {}", case());
        }
    } else {
        assert!(found.is_empty(), "{}", case());
    }
    if strategy != Strategy::None {
        whole_units(text, size, &found, text.grapheme_indices(true), "grapheme", &content, &case);
    }
    if strategy == Strategy::Text {
        whole_units(text, size, &found, words(text).into_iter(), "word", &content, &case);
    }
    found
}

/// UAX 29 words, joined where a grapheme cluster reaches over their boundary, but for trimmed white space.
fn words(text: &str) -> Vec<(usize, &str)> {
    let clusters: std::collections::HashSet<usize> = text.grapheme_indices(true).map(|(at, _)| at).collect();
    let mut starts: Vec<usize> = text
        .split_word_bound_indices()
        .map(|(at, _)| at)
        .filter(|&at| clusters.contains(&at) || text[at..].starts_with(char::is_whitespace))
        .collect();
    starts.push(text.len());
    starts.windows(2).map(|pair| (pair[0], &text[pair[0]..pair[1]])).collect()
}

/// No chunk starts or ends inside a unit that fits, but for the white space trimmed from it.
fn whole_units<'a>(
    _text: &str,
    size: usize,
    found: &[Chunk],
    units: impl Iterator<Item = (usize, &'a str)>,
    name: &str,
    content: &[bool],
    case: &dyn Fn() -> String,
) {
    let mut cuts: Vec<usize> = found.iter().flat_map(|c| [c.bytes.start, c.bytes.end]).collect();
    cuts.sort_unstable();
    let mut cuts = cuts.into_iter().peekable();
    for (at, unit) in units {
        let end = at + unit.len();
        while let Some(cut) = cuts.next_if(|&cut| cut < end) {
            if cut > at && unit.chars().count() <= size {
                let trimmed = !content[cut..end].contains(&true) || !content[at..cut].contains(&true);
                assert!(trimmed, "{name} {unit:?} divided at byte {cut}: {}", case());
            }
        }
    }
}

pub const STRATEGIES: [Strategy; 3] = Strategy::ALL;
pub const SIZES: [(usize, usize); 12] = [
    (1, 0),
    (2, 1),
    (5, 0),
    (7, 3),
    (20, 19),
    (40, 10),
    (100, 0),
    (128, 32),
    (256, 200),
    (400, 40),
    (1000, 200),
    (4000, 400),
];
