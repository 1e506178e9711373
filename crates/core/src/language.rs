//! Maps a language to one of PostgreSQL's text search configurations.

use std::cmp::Ordering;
use std::collections::BTreeSet;

/// The languages that PostgreSQL has a stemmer for: ISO 639-1 code, configuration, which is also the English name, and
/// names in the language itself in lower case.
const STEMMED: [(&str, &str, &[&str]); 31] = [
    ("ar", "arabic", &["العربية"]),
    ("ca", "catalan", &["català"]),
    ("da", "danish", &["dansk"]),
    ("de", "german", &["deutsch"]),
    ("el", "greek", &["ελληνικά"]),
    ("en", "english", &[]),
    ("es", "spanish", &["español", "castellano"]),
    ("et", "estonian", &["eesti"]),
    ("eu", "basque", &["euskara"]),
    ("fi", "finnish", &["suomi"]),
    ("fr", "french", &["français"]),
    ("ga", "irish", &["gaeilge"]),
    ("hi", "hindi", &["हिन्दी"]),
    ("hu", "hungarian", &["magyar"]),
    ("hy", "armenian", &["հայերեն"]),
    ("id", "indonesian", &["bahasa indonesia"]),
    ("it", "italian", &["italiano"]),
    ("lt", "lithuanian", &["lietuvių"]),
    ("nb", "norwegian", &["bokmål", "norsk bokmål"]),
    ("ne", "nepali", &["नेपाली"]),
    ("nl", "dutch", &["nederlands"]),
    ("nn", "norwegian", &["nynorsk", "norsk nynorsk"]),
    ("no", "norwegian", &["norsk"]),
    ("pt", "portuguese", &["português"]),
    ("ro", "romanian", &["română"]),
    ("ru", "russian", &["русский"]),
    ("sr", "serbian", &["српски", "srpski"]),
    ("sv", "swedish", &["svenska"]),
    ("ta", "tamil", &["தமிழ்"]),
    ("tr", "turkish", &["türkçe"]),
    ("yi", "yiddish", &["ייִדיש", "יידיש"]),
];

/// The languages of the scripts that are indexed as bigrams: ISO 639-1 code, English name and own name.
const UNSPACED: [[&str; 3]; 7] = [
    ["zh", "chinese", "中文"],
    ["ja", "japanese", "日本語"],
    ["ko", "korean", "한국어"],
    ["th", "thai", "ไทย"],
    ["lo", "lao", "ລາວ"],
    ["km", "khmer", "ខ្មែរ"],
    ["my", "burmese", "မြန်မာ"],
];

const MAX_BYTES: usize = 100;

/// The name of the configuration for a language given as a code (`de`, or with a region: `de-AT`, `de_AT`) or by its
/// English or own name (`German`, `Deutsch`). None for a language without one, or text that is not a language.
pub fn text_config(language: &str) -> Option<&'static str> {
    let (name, code) = normalized(language)?;
    STEMMED
        .iter()
        .find(|(iso, english, own)| *iso == code || *english == name || own.contains(&name.as_str()))
        .map(|(_, config, _)| *config)
}

/// Whether texts in a language are indexed as bigrams, so that its words need no configuration.
pub fn is_unspaced(language: &str) -> bool {
    normalized(language).is_some_and(|(name, code)| {
        UNSPACED.iter().any(|names| names[0] == code || names.contains(&name.as_str()))
    })
}

/// The places of a question's words that say nothing: its stop words in the language of the question. Each of `readings` has the
/// stop words of one configuration. The language is that of the configuration with the most; if there are several, what all of
/// them leave out. None if no configuration has any.
pub fn common_words<'a>(readings: impl Iterator<Item = &'a BTreeSet<u32>>) -> BTreeSet<u32> {
    let mut common: BTreeSet<u32> = BTreeSet::new();
    let mut most = 0;
    for stop_words in readings {
        match stop_words.len().cmp(&most) {
            Ordering::Greater => (common, most) = (stop_words.clone(), stop_words.len()),
            Ordering::Equal => common.retain(|at| stop_words.contains(at)),
            Ordering::Less => {}
        }
    }
    common
}

/// A language in lower case, and the part of it before a region.
fn normalized(language: &str) -> Option<(String, String)> {
    // Longer than any name, and possibly as long as a value can be.
    if language.len() > MAX_BYTES {
        return None;
    }
    let name = language.trim().to_lowercase();
    let code = name.split(['-', '_']).next().unwrap_or_default().to_string();
    Some((name, code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_codes_regions_and_names() {
        for (language, config) in [
            ("de", "german"),
            ("de-AT", "german"),
            ("PT_br", "portuguese"),
            (" German ", "german"),
            ("nb", "norwegian"),
            ("Deutsch", "german"),
            ("FRANÇAIS", "french"),
            ("Castellano", "spanish"),
            ("Ελληνικά", "greek"),
            ("РУССКИЙ", "russian"),
            ("Bahasa Indonesia", "indonesian"),
        ] {
            assert_eq!(text_config(language), Some(config), "{language}");
        }
        for language in ["", "ja", "zh-CN", "deu", "klingon", "-", "simple"] {
            assert_eq!(text_config(language), None, "{language}");
        }
        assert_eq!(text_config(&format!("de{}", "-x".repeat(1_000_000))), None);
        // The names are compared in lower case.
        for name in STEMMED.iter().flat_map(|(_, _, own)| own.iter()) {
            assert_eq!(*name, name.to_lowercase());
        }
    }

    #[test]
    fn the_language_of_a_question_is_that_with_most_stop_words() {
        let common = |readings: &[&[u32]]| -> Vec<u32> {
            let sets: Vec<BTreeSet<u32>> =
                readings.iter().map(|places| places.iter().copied().collect()).collect();
            common_words(sets.iter()).into_iter().collect()
        };
        assert!(common(&[]).is_empty());
        assert!(common(&[&[], &[]]).is_empty());
        // How long is the guarantee of the toaster: English and German.
        assert_eq!(common(&[&[1, 3, 4, 6, 7], &[]]), [1, 3, 4, 6, 7]);
        assert_eq!(common(&[&[], &[1, 3, 4, 6, 7]]), [1, 3, 4, 6, 7]);
        assert_eq!(common(&[&[2, 5], &[1, 5, 6]]), [1, 5, 6]);
        // The man in the moon: man is a stop word in German.
        assert_eq!(common(&[&[1, 3, 4], &[2, 3]]), [1, 3, 4]);
        assert_eq!(common(&[&[3, 4], &[2, 3], &[]]), [3]);
    }

    #[test]
    fn knows_languages_written_without_spaces() {
        for language in ["zh", "zh-Hans", "JA", "Korean", "中文", " thai "] {
            assert!(is_unspaced(language), "{language}");
            assert_eq!(text_config(language), None, "{language}");
        }
        for language in ["", "de", "zhuang", "klingon"] {
            assert!(!is_unspaced(language), "{language}");
        }
    }
}
