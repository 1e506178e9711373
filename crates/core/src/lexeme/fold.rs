//! Words without accents, as people type them.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// How a language writes a letter with an accent without it, where that is more than to leave the accent out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// Without the accent only.
    Plain,
    /// German: ä, ö and ü also as ae, oe and ue.
    German,
    /// Danish and Norwegian: å, æ and ø also as aa, ae and oe.
    Danish,
}

impl Spelling {
    /// That of a text search configuration of PostgreSQL, given by its name without a schema.
    pub fn of_config(name: &str) -> Spelling {
        match name {
            "german" => Spelling::German,
            "danish" | "norwegian" => Spelling::Danish,
            _ => Spelling::Plain,
        }
    }
}

/// The forms without accents of a word in NFC; none if it has no accents. A letter of Latin, Greek, Cyrillic or Arabic loses its
/// marks; й is a letter of its own. Letters of other scripts stay: a mark there makes another sound. Digits below the line stand on
/// it, as those above it after a letter: H2O and m2, but 10⁵ is not 105.
pub fn folded(word: &str, spelling: Spelling) -> Vec<String> {
    if !word.chars().any(has_accent) {
        return Vec::new();
    }
    let mut forms = Vec::new();
    let mut push = |form: String| {
        if form != word && !forms.contains(&form) {
            forms.push(form);
        }
    };
    push(fold(word, |_| None));
    match spelling {
        Spelling::Plain => {}
        Spelling::German => push(fold(word, german)),
        Spelling::Danish => push(fold(word, danish)),
    }
    forms
}

/// A small letter without an accent, told fast: of Latin, Greek or Cyrillic script. Others may be one, too.
pub fn is_plain_lower(c: char) -> bool {
    matches!(c, 'a'..='z' | 'α'..='ω' | 'а'..='я')
}

/// Whether folding may change a character. Fast for the letters of most texts.
pub fn has_accent(c: char) -> bool {
    match c {
        '²' | '³' | '¹' | '\u{2070}' | '\u{2074}'..='\u{2079}' | '\u{2080}'..='\u{2089}' => true,
        '\0'..='\u{BF}' => false,
        // Letters of Greek and Russian without marks, and Hebrew.
        'Α'..='Ω' | 'α'..='ω' | 'А'..='я' | '\u{590}'..='\u{61F}' => false,
        // Latin, Greek, Cyrillic, Arabic and Vietnamese.
        '\u{C0}'..='\u{64A}' | '\u{1E00}'..='\u{1FFF}' => spelled(c).is_some() || without_marks(c) != c,
        _ => false,
    }
}

fn fold(word: &str, otherwise: impl Fn(char) -> Option<&'static str>) -> String {
    let mut folded = String::with_capacity(word.len());
    let mut previous = ' ';
    for c in word.chars() {
        if c.is_ascii() {
            folded.push(c);
        } else if let Some(digit) = raised(c).filter(|_| previous.is_alphabetic()) {
            folded.push(digit);
        } else if let Some(letters) = otherwise(c).or_else(|| spelled(c)) {
            folded.push_str(letters);
        } else {
            // ǽ is æ with an accent.
            let letter = without_marks(c);
            match otherwise(letter).or_else(|| spelled(letter)) {
                Some(letters) => folded.push_str(letters),
                None => folded.push(letter),
            }
        }
        previous = c;
    }
    folded
}

/// Letters that Unicode does not decompose.
fn spelled(c: char) -> Option<&'static str> {
    Some(match c {
        'ß' => "ss",
        'ẞ' => "SS",
        'æ' => "ae",
        'Æ' => "AE",
        'œ' => "oe",
        'Œ' => "OE",
        'ø' => "o",
        'Ø' => "O",
        'đ' | 'ð' => "d",
        'Đ' | 'Ð' => "D",
        'ł' => "l",
        'Ł' => "L",
        'ħ' => "h",
        'Ħ' => "H",
        'ŧ' => "t",
        'Ŧ' => "T",
        'þ' => "th",
        'Þ' => "Th",
        'ı' => "i",
        '₀' => "0",
        '₁' => "1",
        '₂' => "2",
        '₃' => "3",
        '₄' => "4",
        '₅' => "5",
        '₆' => "6",
        '₇' => "7",
        '₈' => "8",
        '₉' => "9",
        _ => return None,
    })
}

/// The digit that a character is above the line.
fn raised(c: char) -> Option<char> {
    Some(match c {
        '⁰' => '0',
        '¹' => '1',
        '²' => '2',
        '³' => '3',
        '⁴' => '4',
        '⁵' => '5',
        '⁶' => '6',
        '⁷' => '7',
        '⁸' => '8',
        '⁹' => '9',
        _ => return None,
    })
}

fn german(c: char) -> Option<&'static str> {
    Some(match c {
        'ä' => "ae",
        'ö' => "oe",
        'ü' => "ue",
        'Ä' => "Ae",
        'Ö' => "Oe",
        'Ü' => "Ue",
        _ => return None,
    })
}

fn danish(c: char) -> Option<&'static str> {
    Some(match c {
        'å' => "aa",
        'Å' => "Aa",
        'ø' => "oe",
        'Ø' => "Oe",
        _ => return None,
    })
}

fn without_marks(c: char) -> char {
    let mut letters = c.nfd();
    match letters.next() {
        Some(letter) if loses_marks(letter) && c != 'й' && c != 'Й' && letters.all(is_combining_mark) => {
            letter
        }
        _ => c,
    }
}

/// Whether the marks of a letter are accents.
fn loses_marks(letter: char) -> bool {
    let is_latin = letter.is_ascii_alphabetic() || ('\u{C0}'..='\u{24F}').contains(&letter);
    let is_greek_or_cyrillic = ('\u{370}'..='\u{52F}').contains(&letter);
    let is_arabic = ('\u{620}'..='\u{64A}').contains(&letter);
    is_latin || is_greek_or_cyrillic || is_arabic
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(word: &str) -> Vec<String> {
        folded(word, Spelling::Plain)
    }

    #[test]
    fn accents_are_left_out() {
        for (word, expected) in [
            ("café", "cafe"),
            ("Straße", "Strasse"),
            ("œuvre", "oeuvre"),
            ("Øresund", "Oresund"),
            ("ılık", "ilik"),
            ("İstanbul", "Istanbul"),
            ("ёлка", "елка"),
            ("чёрный", "черный"),
            ("Αθήνα", "Αθηνα"),
            ("Đặng", "Dang"),
            ("أحمد", "احمد"),
            ("Łódź", "Lodz"),
            ("ǽ", "ae"),
            ("Ǿ", "O"),
            ("H₂O", "H2O"),
            ("km²", "km2"),
        ] {
            assert_eq!(plain(word), [expected]);
        }
    }

    #[test]
    fn languages_spell_letters_out() {
        assert_eq!(folded("Kündigung", Spelling::German), ["Kundigung", "Kuendigung"]);
        assert_eq!(folded("Straße", Spelling::German), ["Strasse"]);
        assert_eq!(folded("Århus", Spelling::Danish), ["Arhus", "Aarhus"]);
    }

    #[test]
    fn other_letters_stay() {
        for word in ["cafe", "が", "パン", "мой", "हिन्दी", "ก็", "שלום", "한국", "10⁵", "²"]
        {
            assert_eq!(plain(word), Vec::<String>::new(), "{word}");
        }
    }

    #[test]
    fn each_letter_is_folded_once() {
        for c in '\0'..=char::MAX {
            for spelling in [Spelling::Plain, Spelling::German, Spelling::Danish] {
                for form in folded(&c.to_string(), spelling) {
                    assert_eq!(folded(&form, spelling), Vec::<String>::new(), "{c} {form}");
                }
            }
        }
    }

    proptest! {
        #[test]
        fn what_has_no_accent_stays(c in any::<char>()) {
            let is_folded = spelled(c).is_some() || raised(c).is_some() || without_marks(c) != c;
            prop_assert_eq!(has_accent(c), is_folded && !c.is_ascii(), "{:?}", c);
        }

        #[test]
        fn plain_letters_are_told(c in "[a-zα-ωа-яA-ZΑ-ΩА-Яéёά1 ]".prop_map(|text| text.chars().next().unwrap_or_default())) {
            let is_plain = c.is_lowercase() && c.is_alphabetic() && !has_accent(c);
            prop_assert_eq!(is_plain_lower(c), is_plain, "{:?}", c);
        }

        #[test]
        fn what_is_folded_stays(word in "\\PC{0,12}|[a-zàéîõüßœøåяйё]{0,12}") {
            for form in plain(&word) {
                prop_assert_eq!(plain(&form), Vec::<String>::new());
            }
        }
    }
}
