//! The analyzer that makes the lexemes of a chunk: a text search configuration, the format of lexemes, and whether accents are folded.
//! Each chunk stores the name of its analyzer, so that searches know how to read its lexemes.

use std::fmt;

/// How lexemes are made of a text. A chunk keeps its format until it is written again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LexemeFormat {
    /// That of kb_rag 0.3: PostgreSQL's words, and bigrams of text without spaces.
    One,
    /// That since kb_rag 0.4: letters have one form each, and words give further lexemes, marked as such.
    Two,
}

impl LexemeFormat {
    /// The format of a new base.
    pub const LATEST: LexemeFormat = LexemeFormat::Two;

    /// The format of a base that does not record one: kb_rag 0.3 knew no other.
    pub const UNRECORDED: LexemeFormat = LexemeFormat::One;

    /// The number that settings have.
    pub fn number(self) -> i32 {
        match self {
            LexemeFormat::One => 1,
            LexemeFormat::Two => 2,
        }
    }

    /// The format of this number. None for one that this library does not know.
    pub fn from_number(number: i32) -> Option<LexemeFormat> {
        [LexemeFormat::One, LexemeFormat::Two].into_iter().find(|format| format.number() == number)
    }
}

/// An analyzer. Its name is that of the text search configuration, in format 2 with an ending: `pg_catalog.english`,
/// `pg_catalog.english/2`, and `pg_catalog.english/2f` if accents are folded. A name with a slash is quoted, so
/// that a quote follows its last slash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Analyzer<'a> {
    /// Qualified name of the text search configuration.
    pub config: &'a str,
    /// How it makes lexemes.
    pub format: LexemeFormat,
    /// Whether accents are folded: never in format 1.
    pub folds_accents: bool,
}

impl<'a> Analyzer<'a> {
    /// The analyzer of these settings. Format 1 folds no accents, whatever the setting is.
    pub fn new(config: &'a str, format: LexemeFormat, fold_accents: bool) -> Analyzer<'a> {
        Analyzer { config, format, folds_accents: fold_accents && format == LexemeFormat::Two }
    }

    /// The analyzer of this name. None for a format that this library does not know, and for other text that is no name.
    pub fn parse(name: &'a str) -> Option<Analyzer<'a>> {
        match name.rsplit_once('/') {
            Some((config, "2")) => Some(Analyzer::new(config, LexemeFormat::Two, false)),
            Some((config, "2f")) => Some(Analyzer::new(config, LexemeFormat::Two, true)),
            Some((_, end)) if !end.contains('"') => None,
            _ => Some(Analyzer::new(name, LexemeFormat::One, false)),
        }
    }

    /// The ending of its name after that of the configuration.
    pub fn ending(&self) -> &'static str {
        match (self.format, self.folds_accents) {
            (LexemeFormat::One, _) => "",
            (LexemeFormat::Two, false) => "/2",
            (LexemeFormat::Two, true) => "/2f",
        }
    }
}

impl fmt::Display for Analyzer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.config, self.ending())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FORMATS: [LexemeFormat; 2] = [LexemeFormat::One, LexemeFormat::Two];

    #[test]
    fn names_are_read() {
        let english = |format, folds| Some(Analyzer::new("pg_catalog.english", format, folds));
        assert_eq!(Analyzer::parse("pg_catalog.english"), english(LexemeFormat::One, false));
        assert_eq!(Analyzer::parse("pg_catalog.english/2"), english(LexemeFormat::Two, false));
        assert_eq!(Analyzer::parse("pg_catalog.english/2f"), english(LexemeFormat::Two, true));
        for config in [r#"public."a/2f""#, r#""b/2"."/2""#, r#""/".a"#] {
            assert_eq!(Analyzer::parse(config), Some(Analyzer::new(config, LexemeFormat::One, true)));
        }
        for unknown in ["pg_catalog.english/3", "pg_catalog.english/", "a/2f/b", "/2ff"] {
            assert_eq!(Analyzer::parse(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn formats_have_numbers() {
        assert_eq!(
            [0, 1, 2, 3, -1].map(|n| LexemeFormat::from_number(n).map(LexemeFormat::number)),
            [None, Some(1), Some(2), None, None]
        );
    }

    /// A name as PostgreSQL's format('%I') writes it.
    fn identifier() -> impl Strategy<Value = String> {
        prop_oneof![
            "[a-z_][a-z0-9_]{0,8}",
            "[^\0]{1,8}".prop_map(|name| format!("\"{}\"", name.replace('"', "\"\"")))
        ]
    }

    proptest! {
        #[test]
        fn names_come_back(schema in identifier(), name in identifier(), format in prop::sample::select(FORMATS.to_vec()), folds: bool) {
            let config = format!("{schema}.{name}");
            let analyzer = Analyzer::new(&config, format, folds);
            let written = analyzer.to_string();
            prop_assert_eq!(Analyzer::parse(&written), Some(analyzer));
        }

        #[test]
        fn a_name_that_is_read_is_written_the_same(text in "[a-z./2f\"]{0,12}|\\PC{0,12}") {
            if let Some(analyzer) = Analyzer::parse(&text) {
                prop_assert_eq!(analyzer.to_string(), text);
            }
        }
    }
}
