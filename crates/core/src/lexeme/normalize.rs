//! One form of each letter.
//!
//! Texts and queries write the same word with composed and decomposed letters, full-width and half-width forms, presentation
//! forms and ligatures, characters that nobody sees, and several apostrophes. [`normalize`] maps them to one form. It is not
//! Unicode's NFKC, which also makes 105 of 10⁵ and 1⁄2 of ½: only NFC (Unicode Standard Annex 15), and the mappings below.

use std::borrow::Cow;

use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// A text in the one form of its letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Normalized<'a> {
    /// The text.
    pub text: Cow<'a, str>,
    /// Pairs of offsets in bytes, here and in the original, from which on both advance together; in order.
    shifts: Vec<(usize, usize)>,
}

impl Normalized<'_> {
    /// A text as it is.
    pub fn unchanged(text: &str) -> Normalized<'_> {
        Normalized { text: Cow::Borrowed(text), shifts: Vec::new() }
    }

    /// The offset in the original of an offset in the text, both in bytes. Within letters that were changed, that of the end of
    /// what they came from at most.
    pub fn original(&self, offset: usize) -> usize {
        let next = self.shifts.partition_point(|(here, _)| *here <= offset);
        let limit = self.shifts.get(next).map_or(usize::MAX, |(_, there)| *there);
        match next.checked_sub(1).and_then(|last| self.shifts.get(last)) {
            Some((here, there)) => (there + (offset - here)).min(limit),
            None => offset.min(limit),
        }
    }
}

/// Brings a text to the one form. Text of ASCII is not looked at twice.
pub fn normalize(text: &str) -> Normalized<'_> {
    if text.is_ascii() {
        return Normalized::unchanged(text);
    }
    if text.chars().all(|c| form(c) == Form::Same) && is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return Normalized::unchanged(text);
    }
    compose(map(text))
}

/// How a character is mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Same,
    Nothing,
    Other(char),
    /// Its compatibility decomposition.
    Compatible,
}

fn form(c: char) -> Form {
    match c {
        '\0'..='\u{9F}' => Form::Same,
        // Spaces that PostgreSQL's parser may take for letters.
        '\u{A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => Form::Other(' '),
        // Soft hyphen, zero-width characters, marks of direction, byte order mark, variation selectors.
        '\u{AD}'
        | '\u{61C}'
        | '\u{180E}'
        | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206F}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}' => Form::Nothing,
        '\u{2010}' | '\u{2011}' | '\u{2212}' | '\u{5BE}' => Form::Other('-'),
        '\u{2BC}' | '\u{2018}' | '\u{2019}' | '\u{201B}' | '\u{2032}' => Form::Other('\''),
        '\u{132}' | '\u{133}' => Form::Compatible,
        // The micro sign is the letter mu.
        '\u{B5}' => Form::Other('\u{3BC}'),
        // Points of Hebrew.
        '\u{591}'..='\u{5BD}' | '\u{5BF}' | '\u{5C1}' | '\u{5C2}' | '\u{5C4}' | '\u{5C5}' | '\u{5C7}' => {
            Form::Nothing
        }
        // Arabic: tatweel and vowels; yeh and kaf as other languages write them; digits.
        '\u{610}'..='\u{61A}' | '\u{640}' | '\u{64B}'..='\u{652}' | '\u{656}'..='\u{65F}' | '\u{670}' => {
            Form::Nothing
        }
        '\u{649}' | '\u{6CC}' => Form::Other('\u{64A}'),
        '\u{6A9}' => Form::Other('\u{643}'),
        '\u{660}'..='\u{669}' => digit(c, '\u{660}'),
        '\u{6F0}'..='\u{6F9}' => digit(c, '\u{6F0}'),
        // Digits of other scripts.
        '\u{966}'..='\u{D6F}'
        | '\u{E50}'..='\u{E59}'
        | '\u{ED0}'..='\u{ED9}'
        | '\u{F20}'..='\u{F29}'
        | '\u{1040}'..='\u{1049}'
        | '\u{17E0}'..='\u{17E9}'
        | '\u{1810}'..='\u{1819}' => ZEROS
            .into_iter()
            .find(|zero| (0..10).contains(&(c as i64 - *zero as i64)))
            .map_or(Form::Same, |zero| digit(c, zero)),
        // Ligatures, and presentation forms of Hebrew and Arabic.
        '\u{FB00}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}' => Form::Compatible,
        // Full-width and half-width forms.
        '\u{FF01}'..='\u{FFEE}' => Form::Compatible,
        _ => Form::Same,
    }
}

/// The digit zero of Devanagari, Bengali, Gurmukhi, Gujarati, Oriya, Tamil, Telugu, Kannada, Malayalam, Thai, Lao, Tibetan, Myanmar,
/// Khmer and Mongolian.
const ZEROS: [char; 15] = [
    '\u{966}', '\u{9E6}', '\u{A66}', '\u{AE6}', '\u{B66}', '\u{BE6}', '\u{C66}', '\u{CE6}', '\u{D66}',
    '\u{E50}', '\u{ED0}', '\u{F20}', '\u{1040}', '\u{17E0}', '\u{1810}',
];

fn digit(c: char, zero: char) -> Form {
    char::from_digit(c as u32 - zero as u32, 10).map_or(Form::Same, Form::Other)
}

/// Builds a text beside its original.
#[derive(Default)]
struct Builder {
    text: String,
    shifts: Vec<(usize, usize)>,
}

impl Builder {
    /// Adds what became of the original from `start` to `end`.
    fn push(&mut self, original: (usize, usize), text: &str) {
        let here = self.text.len();
        let expected = self.shifts.last().map_or(here, |(h, there)| there + (here - h));
        if expected != original.0 {
            self.shifts.push((here, original.0));
        }
        self.text.push_str(text);
        if text.len() != original.1 - original.0 {
            self.shifts.push((self.text.len(), original.1));
        }
    }
}

fn map(text: &str) -> Normalized<'static> {
    let mut built = Builder::default();
    let mut bytes = [0; 4];
    for (start, c) in text.char_indices() {
        let place = (start, start + c.len_utf8());
        match form(c) {
            Form::Same => built.push(place, c.encode_utf8(&mut bytes)),
            Form::Nothing => built.push(place, ""),
            Form::Other(other) => built.push(place, other.encode_utf8(&mut bytes)),
            Form::Compatible => {
                // A presentation form may hold marks that are left out by themselves.
                let mapped: String = c.nfkc().filter_map(plain).collect();
                built.push(place, &mapped);
            }
        }
    }
    Normalized { text: Cow::Owned(built.text), shifts: built.shifts }
}

/// The form of a character of a decomposition.
fn plain(c: char) -> Option<char> {
    match form(c) {
        Form::Nothing => None,
        Form::Other(other) => Some(other),
        Form::Same | Form::Compatible => Some(c),
    }
}

/// The same in NFC.
fn compose(mapped: Normalized<'static>) -> Normalized<'static> {
    if is_nfc_quick(mapped.text.chars()) == IsNormalized::Yes {
        return mapped;
    }
    let mut built = Builder::default();
    let text = mapped.text.as_ref();
    let mut start = 0;
    let ends = text.char_indices().skip(1).filter(|(_, c)| begins(*c)).map(|(at, _)| at);
    for end in ends.chain([text.len()]) {
        let Some(cluster) = text.get(start..end) else { continue };
        let composed: String = cluster.nfc().collect();
        built.push((mapped.original(start), mapped.original(end)), &composed);
        start = end;
    }
    Normalized { text: Cow::Owned(built.text), shifts: built.shifts }
}

/// Whether no character before it combines with it.
fn begins(c: char) -> bool {
    // Vowels and final consonants of Hangul.
    !is_combining_mark(c) && !('\u{1160}'..='\u{11FF}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn same(one: &str, other: &str) {
        assert_eq!(normalize(one).text, normalize(other).text, "{one} and {other}");
    }

    #[test]
    fn letters_have_one_form() {
        same("cafe\u{301}", "caf\u{e9}");
        same("Ku\u{308}ndigung", "Kündigung");
        same("Ｇｏ１２３－ｘ", "Go123-x");
        same("ｶﾞｲﾄﾞ", "ガイド");
        same("ﬁrst ﬂoor", "first floor");
        same("Gesamt\u{ad}konzept", "Gesamtkonzept");
        same("zero\u{200b}width\u{feff}", "zerowidth");
        same("\u{202b}שלום\u{202c}", "שלום");
        same("שָׁלוֹם", "שלום");
        same("الدورى", "الدوري");
        same("كـتـاب", "كتاب");
        same("كِتَابٌ", "كتاب");
        same("می\u{200c}خواهم", "میخواهم");
        same("ﻛﺘﺎﺏ", "كتاب");
        same("١٢٣ ۱۲۳", "123 123");
        same("१२३ ๑๒ ১২ ௧௨", "123 12 12 12");
        same("µm", "μm");
        same("don’t", "don't");
        same("non\u{2011}breaking", "non-breaking");
        same("10\u{a0}000", "10 000");
        same("한국", "한국");
    }

    #[test]
    fn what_means_something_else_stays() {
        for text in
            ["10⁵", "½", "x²", "№ 5", "™", "か", "が", "Ⅳ", "℃", "हिन्दी", "ภาษาไทย", "naïve", "日本語"]
        {
            assert_eq!(normalize(text).text, text);
        }
    }

    #[test]
    fn offsets_lead_back_to_the_text() {
        let text = "a\u{ad}b ﬁx e\u{301}nd";
        let normalized = normalize(text);
        assert_eq!(normalized.text, "ab fix \u{e9}nd");
        for (here, there) in [("ab", "a\u{ad}b"), ("fix", "ﬁx"), ("\u{e9}nd", "e\u{301}nd")] {
            let start = normalized.text.find(here).unwrap();
            let (from, to) = (normalized.original(start), normalized.original(start + here.len()));
            assert_eq!(&text[from..to], there);
        }
    }

    proptest! {
        #[test]
        fn twice_changes_nothing(text in "\\PC{0,30}|[a-zé\u{301}\u{ad}\u{200b}ｶﾞﬁ\u{1161}\u{1100}가ىـ]{0,20}") {
            let once = normalize(&text).text.into_owned();
            let twice = normalize(&once).text.into_owned();
            prop_assert_eq!(twice, once);
        }

        #[test]
        fn ascii_stays(text in "[ -~\n\t]{0,60}") {
            prop_assert!(matches!(normalize(&text).text, Cow::Borrowed(_)));
        }

        #[test]
        fn offsets_rise_within_the_text(text in "\\PC{0,30}|[a-zé\u{301}\u{ad}\u{200b}ｶﾞﬁ 가]{0,20}") {
            let normalized = normalize(&text);
            let mut last = 0;
            for offset in 0..=normalized.text.len() {
                let original = normalized.original(offset);
                prop_assert!(original >= last && original <= text.len(), "{} of {}", original, offset);
                last = original;
            }
        }
    }
}
