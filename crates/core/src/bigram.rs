//! Cuts text written without spaces between words into overlapping bigrams.
//!
//! Chinese, Japanese, Thai and similar scripts are indexed by pairs of neighboring characters, as Lucene's
//! CJKBigramFilter does: 知识库 gives 知识 and 识库. So is Korean, whose particles are attached to the word. A
//! character that stands alone is a lexeme by itself. All other text is left to PostgreSQL's own parser.

use std::borrow::Cow;

use unicode_script::{Script, UnicodeScript};
use unicode_segmentation::UnicodeSegmentation;

use crate::tsvector::MAX_LEXEME_BYTES;

/// Scripts that put no spaces between words, and Hangul.
const SCRIPTS: [Script; 9] = [
    Script::Han,
    Script::Hiragana,
    Script::Katakana,
    Script::Bopomofo,
    Script::Hangul,
    Script::Thai,
    Script::Lao,
    Script::Khmer,
    Script::Myanmar,
];

/// A text, split into bigrams and the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split<'a> {
    /// The text, with each run that was cut replaced by a space.
    pub rest: Cow<'a, str>,
    /// The bigrams with their positions, in order; a gap of one keeps phrases from crossing the end of a run.
    pub bigrams: Vec<(u32, &'a str)>,
}

/// Splits a text. Characters are grapheme clusters, so that a vowel or tone mark stays with its consonant.
pub fn split(text: &str) -> Split<'_> {
    if !text.chars().any(is_unspaced) {
        return Split { rest: Cow::Borrowed(text), bigrams: Vec::new() };
    }
    let mut rest = String::with_capacity(text.len());
    let mut bigrams = Vec::new();
    let mut run: Vec<(usize, usize)> = Vec::new();
    let mut position = 0;
    for (start, grapheme) in text.grapheme_indices(true) {
        if grapheme.chars().next().is_some_and(is_unspaced) {
            run.push((start, start + grapheme.len()));
            continue;
        }
        close(text, &mut run, &mut position, &mut bigrams, &mut rest);
        rest.push_str(grapheme);
    }
    close(text, &mut run, &mut position, &mut bigrams, &mut rest);
    Split { rest: Cow::Owned(rest), bigrams }
}

/// Turns the run of characters that has just ended into bigrams.
fn close<'a>(
    text: &'a str,
    run: &mut Vec<(usize, usize)>,
    position: &mut u32,
    bigrams: &mut Vec<(u32, &'a str)>,
    rest: &mut String,
) {
    let mut push = |start: usize, end: usize| {
        *position += 1;
        // A cluster may have any number of marks, but a lexeme is limited in bytes.
        if end - start <= MAX_LEXEME_BYTES {
            bigrams.push((*position, &text[start..end]));
        }
    };
    match run.as_slice() {
        [] => return,
        [(start, end)] => push(*start, *end),
        _ => run.windows(2).for_each(|pair| {
            if let [(start, _), (_, end)] = pair {
                push(*start, *end);
            }
        }),
    }
    *position += 1;
    run.clear();
    rest.push(' ');
}

/// Whether a character is a letter, or a mark that can begin a cluster, of a script without spaces.
#[inline]
pub(crate) fn is_unspaced(c: char) -> bool {
    // All of these scripts lie above the Latin, Greek, Cyrillic, Hebrew, Arabic and most Indic blocks.
    c >= '\u{0E00}' && is_of_scripts(c)
}

fn is_of_scripts(c: char) -> bool {
    c.is_alphanumeric() && !c.is_numeric() && {
        let scripts = c.script_extension();
        SCRIPTS.iter().any(|script| scripts.contains_script(*script)) && !scripts.is_common()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bigrams(text: &str) -> Vec<&str> {
        split(text).bigrams.into_iter().map(|(_, bigram)| bigram).collect()
    }

    #[test]
    fn cuts_runs_and_leaves_the_rest() {
        assert_eq!(bigrams("知识库"), ["知识", "识库"]);
        assert_eq!(bigrams("用 PostgreSQL 搜索文档。"), ["用", "搜索", "索文", "文档"]);
        assert_eq!(split("用PostgreSQL搜索").rest, " PostgreSQL ");
        assert_eq!(bigrams("サーバーを再起動"), ["サー", "ーバ", "バー", "ーを", "を再", "再起", "起動"]);
        assert_eq!(bigrams("데이터 베이스"), ["데이", "이터", "베이", "이스"]);
    }

    #[test]
    fn marks_stay_with_their_consonants() {
        // นี้ is one cluster of a consonant, a vowel and a tone mark.
        assert_eq!(bigrams("นี้คือ"), ["นี้คื", "คือ"]);
        assert_eq!(bigrams("か\u{3099}く"), ["か\u{3099}く"]);
    }

    #[test]
    fn a_cluster_too_long_for_a_lexeme_is_left_out() {
        let long = format!("ก{}", "็".repeat(700));
        assert_eq!(bigrams(&long), Vec::<&str>::new());
        let text = format!("知识{long}识库");
        assert_eq!(split(&text).bigrams, [(1, "知识"), (4, "识库")]);
    }

    #[test]
    fn phrases_do_not_cross_runs() {
        let positions = |text| split(text).bigrams.into_iter().map(|(p, _)| p).collect::<Vec<_>>();
        assert_eq!(positions("知识库、全文"), [1, 2, 4]);
    }

    #[test]
    fn other_text_is_not_copied() {
        for text in ["", "How do refunds work?", "Ελλάδα, Россия, שלום, سلام, हिन्दी", "「」。 123 ١٢٣"]
        {
            assert!(matches!(split(text).rest, Cow::Borrowed(_)), "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_character_is_kept_somewhere(text in "[a-z 知识库再起動かサー데이นี้。、1]{0,40}|\\PC{0,40}") {
            let split = split(&text);
            for c in text.chars().filter(|c| c.is_alphanumeric()) {
                prop_assert!(split.rest.contains(c) || split.bigrams.iter().any(|(_, bigram)| bigram.contains(c)));
            }
            prop_assert!(split.bigrams.windows(2).all(|pair| pair[0].0 < pair[1].0));
        }
    }
}
