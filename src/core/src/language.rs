//! Maps a language to one of PostgreSQL's text search configurations.

/// ISO 639-1 codes of the languages that PostgreSQL has a stemmer for.
const CODES: [(&str, &str); 31] = [
    ("ar", "arabic"),
    ("ca", "catalan"),
    ("da", "danish"),
    ("de", "german"),
    ("el", "greek"),
    ("en", "english"),
    ("es", "spanish"),
    ("et", "estonian"),
    ("eu", "basque"),
    ("fi", "finnish"),
    ("fr", "french"),
    ("ga", "irish"),
    ("hi", "hindi"),
    ("hu", "hungarian"),
    ("hy", "armenian"),
    ("id", "indonesian"),
    ("it", "italian"),
    ("lt", "lithuanian"),
    ("nb", "norwegian"),
    ("ne", "nepali"),
    ("nl", "dutch"),
    ("nn", "norwegian"),
    ("no", "norwegian"),
    ("pt", "portuguese"),
    ("ro", "romanian"),
    ("ru", "russian"),
    ("sr", "serbian"),
    ("sv", "swedish"),
    ("ta", "tamil"),
    ("tr", "turkish"),
    ("yi", "yiddish"),
];

const LONGEST: usize = 100;

/// The name of the configuration for a language, given as a code (`de`, or with a region: `de-AT`, `de_AT`)
/// or by its English name (`german`). None for a language without one, or a text that is not a language.
pub fn text_config(language: &str) -> Option<&'static str> {
    // Longer than any name, and possibly as long as a value can be.
    if language.len() > LONGEST {
        return None;
    }
    let language = language.trim().to_ascii_lowercase();
    let code = language.split(['-', '_']).next().unwrap_or_default();
    CODES.iter().find(|(iso, name)| *iso == code || *name == language).map(|(_, name)| *name)
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
        ] {
            assert_eq!(text_config(language), Some(config), "{language}");
        }
        for language in ["", "ja", "zh-CN", "deu", "klingon", "-", "simple"] {
            assert_eq!(text_config(language), None, "{language}");
        }
        assert_eq!(text_config(&format!("de{}", "-x".repeat(1_000_000))), None);
    }
}
