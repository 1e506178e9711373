//! The properties of chunking, checked on one text.
#![allow(clippy::unwrap_used)] // helpers of tests fail their test
#![allow(dead_code)] // each test program uses a part

use std::collections::BTreeMap;
use std::convert::Infallible;

use kb_rag_core::chunk::{
    Before, Chunk, Chunker, PAGE_END, Settings, Strategy, TokenLimit, TokenWindow, Tokenizer,
};
use kb_rag_core::fake;
use unicode_segmentation::UnicodeSegmentation;

/// Marks the bytes that are not white space to be trimmed, that is, grapheme clusters of nothing else.
pub fn content_bytes(text: &str) -> Vec<bool> {
    let mut content = vec![false; text.len()];
    for (at, cluster) in text.grapheme_indices(true) {
        for (offset, c) in cluster.char_indices() {
            // In a cluster of white space and marks, the space right before the marks is content; a space
            // after a prepended mark is not.
            let rest = &cluster[offset + c.len_utf8()..];
            if !c.is_whitespace() || !rest.chars().all(char::is_whitespace) {
                content[at + offset..at + offset + c.len_utf8()].fill(true);
            }
        }
    }
    content
}

/// The embedding of the tests: texts that share words are similar.
pub fn embed(text: &str) -> Result<Vec<f32>, Infallible> {
    Ok(fake::embedding(text, 32, || ()))
}

pub fn split(text: &str, size: usize, overlap: usize, strategy: Strategy) -> Vec<Chunk> {
    let Ok(chunker) = Chunker::new(text, &Settings::new(size, overlap, strategy).unwrap()).topics(embed);
    chunker.chunks().collect()
}

/// A tokenizer with one token for every three characters of a word, rounded up. But a word of more than 20 is
/// one token, so its halves may have more than the whole. `한` has three.
pub struct ToyTokenizer;

impl ToyTokenizer {
    fn words(text: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
        text.split_inclusive(char::is_whitespace).scan(0, |at, word| {
            let start = *at;
            *at += word.len();
            let word = word.trim();
            let length = word.chars().count();
            let marks = word.matches('한').count();
            Some((start, if length > 20 { 1 } else { length.div_ceil(3) + 2 * marks }))
        })
    }
}

impl Tokenizer for ToyTokenizer {
    fn count(&self, text: &str) -> usize {
        Self::words(text).map(|(_, tokens)| tokens).sum()
    }

    fn prefix(&self, text: &str, max: usize) -> usize {
        let mut count = 0;
        for (start, tokens) in Self::words(text) {
            count += tokens;
            if count > max {
                return if start == 0 { self.divisible_prefix(text, max) } else { start };
            }
        }
        text.len()
    }

    fn divisible_prefix(&self, text: &str, max: usize) -> usize {
        let mut count = 0;
        let cost = |c| if c == '한' { 3 } else { 1 };
        let past = text.char_indices().find(|&(at, c)| {
            count += cost(c);
            at > 0 && count > max
        });
        past.map_or(text.len(), |(at, _)| at)
    }

    fn suffix(&self, text: &str, max: usize) -> usize {
        let mut count = 0;
        let fits = |&(_, tokens): &(usize, usize)| {
            count += tokens;
            count <= max
        };
        let words: Vec<_> = Self::words(text).collect();
        words.into_iter().rev().take_while(fits).last().map_or(text.len(), |(start, _)| start)
    }
}

/// The chunks of at most `budget` tokens, less one for each 10 bytes of heading and context, and of at most `window`
/// tokens.
pub fn split_within(
    text: &str,
    (size, overlap): (usize, usize),
    strategy: Strategy,
    budget: usize,
    window: Option<TokenWindow>,
) -> Vec<Chunk> {
    let budget = Box::new(move |before: Before| budget_of(budget, before));
    let limit = TokenLimit { tokenizer: Box::new(ToyTokenizer), budget, window };
    let settings = Settings::new(size, overlap, strategy).unwrap();
    let Ok(chunker) = Chunker::new(text, &settings).within(limit).topics(embed);
    chunker.chunks().collect()
}

fn budget_of(budget: usize, before: Before) -> usize {
    let bytes = before.heading.map_or(0, str::len) + before.context.map_or(0, str::len);
    budget.saturating_sub(bytes / 10).max(budget / 2).max(1)
}

/// Checks that no chunk exceeds its tokens, and every property that does not depend on the unit.
pub fn check_within(
    text: &str,
    (size, overlap): (usize, usize),
    strategy: Strategy,
    budget: usize,
    window: Option<TokenWindow>,
) -> Vec<Chunk> {
    let found = split_within(text, (size, overlap), strategy, budget, window);
    let case = || format!("{strategy:?} {size}/{overlap} in {budget} {window:?} on {text:?}: {found:?}");
    check_places(text, size, &found, strategy, &case);
    let tokens = |bytes: std::ops::Range<usize>| ToyTokenizer.count(&text[bytes]);
    for (index, chunk) in found.iter().enumerate() {
        let before = Before { heading: chunk.heading.as_deref(), context: chunk.context.as_deref() };
        let max = budget_of(budget, before).min(window.map_or(usize::MAX, |w| w.size));
        let count = tokens(chunk.bytes.clone());
        // A character that cannot be divided is allowed.
        assert!(count <= max || chunk.chars.len() == 1, "{count} of {max} tokens in {index}: {}", case());
        if let Some(before) = index.checked_sub(1).map(|before| &found[before])
            && chunk.bytes.start < before.bytes.end
        {
            let shared = chunk.bytes.start..before.bytes.end;
            match window {
                Some(window) => assert!(tokens(shared) <= window.overlap, "overlap at {index}: {}", case()),
                None => assert!(text[shared].chars().count() <= overlap, "overlap at {index}: {}", case()),
            }
        }
    }
    let content =
        found.first().map_or(0, |first| first.bytes.start)..found.last().map_or(0, |last| last.bytes.end);
    let trimmed = &text[content];
    let max = budget_of(budget, Before::default()).min(window.map_or(usize::MAX, |w| w.size));
    if strategy != Strategy::Markdown
        && trimmed.chars().count() <= size
        && ToyTokenizer.count(trimmed) <= max
        && !trimmed.contains(PAGE_END)
    {
        assert!(found.len() <= 1, "fits one chunk: {}", case());
    }
    found
}

/// Checks every property of `strategy` on `text`; returns the chunks.
pub fn check(text: &str, size: usize, overlap: usize, strategy: Strategy) -> Vec<Chunk> {
    let found = split(text, size, overlap, strategy);
    let case = || format!("{strategy:?} {size}/{overlap} on {text:?}: {found:?}");
    assert_eq!(found, split(text, size, overlap, strategy), "deterministic");
    let content = check_places(text, size, &found, strategy, &case);
    for (index, pair) in found.windows(2).enumerate() {
        let shared = pair[0].chars.end.saturating_sub(pair[1].chars.start);
        assert!(shared <= overlap, "overlap {shared} after chunk {index}: {}", case());
    }
    let first = content.iter().position(|&c| c);
    let last = content.iter().rposition(|&c| c);
    if let (Some(first), Some(last)) = (first, last) {
        if strategy == Strategy::None {
            assert_eq!(found.len(), 1, "{}", case());
        }
        let mut end = last + 1;
        while !text.is_char_boundary(end) {
            end += 1;
        }
        if text[first..end].chars().count() <= size && !text[first..end].contains(PAGE_END) {
            assert_eq!(found.len(), 1, "fits one chunk: {}", case());
        }
    } else {
        assert!(found.is_empty(), "{}", case());
    }
    if strategy != Strategy::None {
        check_pages(text, size, &found, &content, &case);
        whole_units(text, size, &found, text.grapheme_indices(true), "grapheme", &content, &case);
    }
    if matches!(strategy, Strategy::Text | Strategy::Semantic) {
        whole_units(text, size, &found, words(text, size, &content).into_iter(), "word", &content, &case);
    }
    if strategy == Strategy::Code {
        whole_units(text, size, &found, lines(text, &content), "line", &content, &case);
    }
    found
}

/// Checks that a page that fits is one chunk. That no chunk extends over two is checked with the places of all chunks.
fn check_pages(text: &str, size: usize, found: &[Chunk], content: &[bool], case: &dyn Fn() -> String) {
    let mut at = 0;
    for page in text.split_inclusive(PAGE_END) {
        let bytes = at..at + page.len();
        at = bytes.end;
        let Some(first) = bytes.clone().find(|&byte| content[byte]) else { continue };
        if text[first..bytes.end].trim_end().chars().count() <= size {
            let count = found.iter().filter(|chunk| bytes.contains(&chunk.bytes.start)).count();
            assert_eq!(count, 1, "the page from byte {first} fits one chunk: {}", case());
        }
    }
}

/// Lines without trimmed white space.
fn lines<'a>(text: &'a str, content: &'a [bool]) -> impl Iterator<Item = (usize, &'a str)> {
    let ends = ['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}'];
    text.split_inclusive(ends).scan(0, move |at, line| {
        let bytes = *at..*at + line.len();
        *at = bytes.end;
        let first = bytes.clone().find(|&byte| content[byte]).unwrap_or(bytes.end);
        Some((first, text[first..bytes.end].trim_end()))
    })
}

/// Checks the properties of the places of chunks that hold for every unit; returns which bytes are content.
fn check_places(
    text: &str,
    size: usize,
    found: &[Chunk],
    strategy: Strategy,
    case: &dyn Fn() -> String,
) -> Vec<bool> {
    let content = content_bytes(text);
    let visible = |bytes: std::ops::Range<usize>| !text[bytes].trim().is_empty();
    let (mut covered, mut chars_to) = (0, (0, 0));
    for (index, chunk) in found.iter().enumerate() {
        let passage = &text[chunk.bytes.clone()];
        assert!(!passage.trim().is_empty(), "blank chunk {index}: {}", case());
        let length = passage.chars().count();
        assert!(
            !passage.contains(PAGE_END) || strategy == Strategy::None,
            "two pages in {index}: {}",
            case()
        );
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
            let fresh = before.bytes.end.max(chunk.bytes.start);
            assert!(visible(fresh..chunk.bytes.end), "nothing new: {}", case());
        }
        if chunk.bytes.start > covered {
            assert!(!visible(covered..chunk.bytes.start), "lost before {index}: {}", case());
        }
        covered = chunk.bytes.end;
    }
    assert!(!visible(covered..text.len()), "lost at the end: {}", case());
    content
}

/// UAX 29 words, joined if a grapheme cluster crosses their boundary, except for trimmed white space of
/// clusters that fit.
fn words<'a>(text: &'a str, size: usize, content: &[bool]) -> Vec<(usize, &'a str)> {
    let clusters: BTreeMap<usize, &str> = text.grapheme_indices(true).collect();
    let is_trimmed = |at: usize| {
        let cluster = clusters.range(..=at).next_back();
        // Prepended marks and white space are trimmed, unless more marks make the white space content.
        cluster.is_some_and(|(start, cluster)| {
            cluster.chars().count() <= size && !content[at..start + cluster.len()].contains(&true)
        })
    };
    let mut starts: Vec<usize> = text
        .split_word_bound_indices()
        .map(|(at, _)| at)
        .filter(|&at| clusters.contains_key(&at) || is_trimmed(at))
        .collect();
    starts.push(text.len());
    starts.windows(2).map(|pair| (pair[0], &text[pair[0]..pair[1]])).collect()
}

/// No chunk starts or ends inside a unit that fits, except for the white space trimmed from it.
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

/// How many chunks of a prose text end between words, and how many there are.
pub fn between_words(text: &str) -> (usize, usize) {
    let found = split(text, 1000, 200, Strategy::Text);
    let middle = |chunk: &&Chunk| {
        let rest = &text[chunk.bytes.end..];
        let gap = &rest[..rest.len() - rest.trim_start().len()];
        let tail =
            text[chunk.bytes.clone()].trim_end_matches(['"', '\'', '”', '’', ')', ']', '_', '*', '」']);
        !rest.is_empty()
            && !gap.contains('\n')
            && !tail.ends_with(['.', '!', '?', '。', '！', '？', '؟', '।'])
    };
    (found.iter().filter(middle).count(), found.len())
}

pub const STRATEGIES: [Strategy; 6] = Strategy::ALL;
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
