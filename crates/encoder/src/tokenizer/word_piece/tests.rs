//! The tokenizer over a small vocabulary; the reference check covers the real one.

use std::path::Path;

use proptest::prelude::*;

use super::*;

const VOCABULARY: &str =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\nsun\n##flower\n##s\nflower\nä\na\n##a\n!\n[\n]\ncls\n中\nSun\n##ä\né";
const UNK: u32 = 1;
const CLS: u32 = 2;
const SEP: u32 = 3;

fn tokenizer(lowercase: bool) -> WordPiece {
    let size = VOCABULARY.lines().count();
    WordPiece::new(Vocabulary::parse(Path::new("vocab.txt"), VOCABULARY, size).unwrap(), lowercase)
}

/// The pieces between [CLS] and [SEP], spelled as in the vocabulary.
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
    // Nothing composes decomposed text: in a cased model the accent is a letter of its own.
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
fn prefixes_and_suffixes_end_between_words() {
    let tokenizer = tokenizer(true);
    let text = "sunflowers sun! a中a";
    let prefix = |max| text[..tokenizer.prefix(text, max)].trim_end();
    assert_eq!(prefix(5), "sunflowers sun!");
    assert_eq!(prefix(4), "sunflowers sun");
    assert_eq!(prefix(3), "sunflowers");
    // The word has more tokens than the budget, and each of its letters may be one.
    assert_eq!(prefix(2), "su");
    assert_eq!(prefix(0), "s");
    let suffix = |max| &text[tokenizer.suffix(text, max)..];
    assert_eq!((suffix(0), suffix(2), suffix(4)), ("", "中a", "! a中a"));
    assert_eq!((suffix(7), suffix(8)), ("sun! a中a", text));
}

#[test]
fn no_character_becomes_more_characters_than_it_has_bytes() {
    for lowercase in [true, false] {
        let tokenizer = tokenizer(lowercase);
        for character in (0..=0x10_ffff).filter_map(char::from_u32) {
            let max = tokenizer.max_tokens_for(character);
            let text = character.to_string();
            assert!(max <= text.len(), "{character:?}");
            assert!(tokenizer.count(&text) - 2 <= max, "{character:?}");
            // A character that stands alone is separated on both sides.
            if tokenizer.stands_alone(character) {
                let (word, between) = (tokenizer.count("sun") - 2, format!("sun{character}sun"));
                assert_eq!(tokenizer.count(&between), tokenizer.count(&text) + 2 * word, "{character:?}");
            }
        }
    }
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
    for text in ["sun ", "!", "a", "\u{301}"].map(|unit| unit.repeat(mega / 8 / unit.len())) {
        for max in [254, mega] {
            assert!(tokenizer.prefix(&text, max) > 0);
            assert!(tokenizer.suffix(&text, max) <= text.len());
        }
    }
    assert_eq!(tokenizer.encode("sun ".repeat(mega / 4).chars(), 256).len(), 256);
}

/// Any characters, but those in the small vocabulary more often.
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
        // Words that were counted before are not looked up again.
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

    #[test]
    fn extents_keep_their_limits(text in text(), lowercase: bool, max in 0_usize..40) {
        let tokenizer = tokenizer(lowercase);
        let count = |text: &str| tokenizer.count(text) - 2;
        prop_assert!(count(&text) <= text.len());

        let divisible = &text[..tokenizer.divisible_prefix(&text, max)];
        prop_assert!(divisible.chars().count() <= 1 || count(divisible) <= max);
        for (at, _) in divisible.char_indices().filter(|_| divisible.chars().count() > 1) {
            prop_assert!(count(&divisible[at..]) <= max && count(&divisible[..at]) <= max);
        }

        let prefix = tokenizer.prefix(&text, max);
        prop_assert!(prefix == divisible.len() || count(&text[..prefix]) <= max);
        // All parts of a text together have as many tokens as the whole.
        let parts: Vec<_> = tokenizer.parts(&text).collect();
        prop_assert_eq!(parts.iter().map(|part| count(&text[part.clone()])).sum::<usize>(), count(&text));
        if count(&text) <= max {
            prop_assert_eq!(prefix, text.len());
        } else if let Some(next) = parts.iter().find(|part| part.start == prefix) {
            prop_assert!(count(&text[..next.end]) > max);
        }

        let reading = tokenizer.reading(&text);
        prop_assert_eq!(tokenizer.tokens_beyond_ascii(&text), (reading.tokens_beyond_ascii, reading.characters));

        let suffix = tokenizer.suffix(&text, max);
        prop_assert!(count(&text[suffix..]) <= max);
    }
}

/// More words than are kept, of all lengths around the longest that is: each count is that of the word, whichever came before it.
#[test]
fn counts_are_those_of_the_word() {
    let tokenizer = tokenizer(true);
    let words: Vec<String> = (0..5000_usize)
        .map(|n| ["a", "sun", "aa", "x", "ä"][n % 5].repeat(n / 5 % 19) + &"a".repeat(n % 7))
        .collect();
    for word in words.iter().chain(&words) {
        assert_eq!(tokenizer.count(word) - 2, tokenizer.count_words(word), "{word}");
    }
}

#[test]
fn a_reading_counts_words_with_a_letter() {
    let reading = |text: &str| {
        let Reading { characters, tokens, tokens_beyond_ascii } = tokenizer(true).reading(text);
        (characters, tokens, tokens_beyond_ascii)
    };
    assert_eq!(reading("sunflowers, sun! 12 -- €"), (13, 4, 0));
    // An unknown word counts by its characters, even one too long to be looked up.
    assert_eq!(reading("xyz sun"), (6, 4, 0));
    assert_eq!(reading(&"x".repeat(150)), (150, 150, 0));
    // Accents are no characters of an uncased model; other scripts stand out.
    assert_eq!(reading("Ä привет"), (7, 7, 6));
    assert_eq!(reading("中國"), (2, 2, 2));
    assert_eq!(reading("12, !"), (0, 0, 0));
}
