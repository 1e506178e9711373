//! The tokenizer over a small vocabulary; the reference check covers the real one.

use std::path::Path;

use proptest::prelude::*;

use super::*;

const VOCABULARY: &str =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\nsun\n##flower\n##s\nflower\nä\na\n##a\n!\n[\n]\ncls\n中\nSun\n##ä\né";
const UNK: u32 = 1;
const CLS: u32 = 2;
const SEP: u32 = 3;

fn tokenizer(lowercase: bool) -> Tokenizer {
    let size = VOCABULARY.lines().count();
    Tokenizer::new(Vocabulary::parse(Path::new("vocab.txt"), VOCABULARY.to_owned(), size).unwrap(), lowercase)
}

/// The pieces between [CLS] and [SEP], as the vocabulary spells them.
fn pieces(text: &str, lowercase: bool) -> Vec<&'static str> {
    let ids = tokenizer(lowercase).encode(text.chars(), 512);
    assert_eq!((ids.first(), ids.last()), (Some(&CLS), Some(&SEP)));
    ids[1..ids.len() - 1].iter().map(|&id| VOCABULARY.lines().nth(id as usize).unwrap()).collect()
}

#[test]
fn words_are_cut_into_the_longest_pieces() {
    assert_eq!(pieces("sunflowers sun", true), ["sun", "##flower", "##s", "sun"]);
    assert_eq!(pieces("flowersun", true), ["[UNK]"]);
}

#[test]
fn uncased_lowers_and_strips_accents_and_cased_does_neither() {
    assert_eq!(pieces("SÚN ä", true), ["sun", "a"]);
    assert_eq!(pieces("Sun sun ä aä SUN", false), ["Sun", "sun", "ä", "a", "##ä", "[UNK]"]);
    // Decomposed text is put together by nobody: in a cased model the accent is a letter of its own.
    assert_eq!(pieces("e\u{301}", false), ["[UNK]"]);
}

#[test]
fn punctuation_and_ideographs_stand_alone() {
    assert_eq!(pieces("sun!!sun", true), ["sun", "!", "!", "sun"]);
    assert_eq!(pieces("a中a", true), ["a", "中", "a"]);
}

#[test]
fn special_tokens_in_a_text_are_text() {
    assert_eq!(pieces("[CLS]", true), ["[", "cls", "]"]);
}

#[test]
fn control_characters_vanish_and_white_space_separates() {
    assert_eq!(pieces("su\u{200b}n\u{0}\u{fffd}\u{7}", true), ["sun"]);
    assert_eq!(pieces("\u{3000}sun\u{a0}a\r\n\t", true), ["sun", "a"]);
    assert_eq!(pieces("", true), [""; 0]);
}

#[test]
fn a_word_of_over_a_hundred_characters_is_unknown() {
    assert_eq!(pieces(&"a".repeat(100), true).len(), 100);
    assert_eq!(pieces(&"a".repeat(101), true), ["[UNK]"]);
    assert_eq!(pieces(&format!("{}!a", "a".repeat(1 << 20)), true), ["[UNK]", "!", "a"]);
}

#[test]
fn a_megabyte_takes_linear_time() {
    // Anything quadratic would take minutes; each of these takes well under a second.
    let tokenizer = tokenizer(true);
    let mega = 1 << 20;
    assert_eq!(tokenizer.count(&"\u{301}\u{316}".repeat(mega / 4)), 2);
    assert_eq!(tokenizer.count(&" ".repeat(mega)), 2);
    assert_eq!(tokenizer.count(&"!".repeat(mega)), mega + 2);
    assert_eq!(tokenizer.count(&format!("{} ", "a".repeat(99)).repeat(mega / 100)), mega / 100 * 99 + 2);
    assert_eq!(tokenizer.encode("sun ".repeat(mega / 4).chars(), 256).len(), 256);
}

/// Any characters, with those the small vocabulary knows among them more often.
fn text() -> impl Strategy<Value = String> {
    let known =
        prop::sample::select(vec!["sun", "flower", "a", "ä", "!", " ", "中", "[CLS]", "\u{301}", "Σ"]);
    let any = any::<char>().prop_map(String::from);
    prop::collection::vec(prop_oneof![known.prop_map(str::to_owned), any], 0..300)
        .prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_gives_a_valid_sequence(text in text(), lowercase: bool, max_tokens in 3_usize..64) {
        let tokenizer = tokenizer(lowercase);
        let all = tokenizer.encode(text.chars(), usize::MAX);
        prop_assert_eq!(all.len(), tokenizer.count(&text));
        prop_assert_eq!((all[0], all[all.len() - 1]), (CLS, SEP));
        let size = VOCABULARY.lines().count() as u32;
        prop_assert!(all.iter().all(|&id| id < size));
        prop_assert!(all[1..all.len() - 1].iter().all(|&id| id >= UNK && id != CLS && id != SEP));

        let cut = tokenizer.encode(text.chars(), max_tokens);
        let kept = all.len().min(max_tokens) - 1;
        prop_assert_eq!(&cut[..kept], &all[..kept]);
        prop_assert_eq!(&cut[kept..], &[SEP]);
    }
}
