//! How the lexemes of a base are made.

use kb_rag_core::analyzer::{Analyzer, LexemeFormat};

use super::Changes;
use super::fields::Source;
use crate::catalog;
use crate::error::{Error, Result};

/// What decides about the lexemes of a base besides text search configurations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lexemes {
    pub format: LexemeFormat,
    /// Whether words are also found without their accents; without effect in format 1.
    pub fold_accents: bool,
}

impl Default for Lexemes {
    fn default() -> Lexemes {
        Lexemes { format: LexemeFormat::LATEST, fold_accents: true }
    }
}

/// Whether the catalog records formats: that of kb_rag 0.3.0 does not.
pub fn are_recorded() -> bool {
    catalog::has_column(c"knowledge_base", c"lexeme_format")
}

impl Lexemes {
    /// Those of a new base, and of one that is reindexed.
    pub fn of_new_base() -> Lexemes {
        Lexemes { format: Lexemes::latest_format(), ..Lexemes::default() }
    }

    /// The latest format that the catalog can record.
    pub fn latest_format() -> LexemeFormat {
        if are_recorded() { LexemeFormat::LATEST } else { LexemeFormat::UNRECORDED }
    }

    /// The analyzer of a text search configuration.
    pub fn analyzer<'a>(&self, text_config: &'a str) -> Analyzer<'a> {
        Analyzer::new(text_config, self.format, self.fold_accents)
    }

    pub(super) fn with(&self, changes: &Changes) -> Result<Lexemes> {
        let format = match changes.lexeme_format {
            Some(number) => self.format_after(number)?,
            None => self.format,
        };
        Ok(Lexemes { format, fold_accents: changes.fold_accents.unwrap_or(self.fold_accents) })
    }

    /// The format of this number. 22023 for one that is not known, or older than that of the base.
    fn format_after(&self, number: i32) -> Result<LexemeFormat> {
        let latest = LexemeFormat::LATEST.number();
        let format = known(number)
            .ok_or_else(|| unknown(number).hint(format!("Use lexeme_format => {latest}, the latest.")))?;
        if format < self.format {
            let present = self.format.number();
            return Err(Error::invalid(format!(
                "lexeme_format {number} is older than the present one, {present}"
            ))
            .hint("Leave it out: a knowledge base does not go back to an older format."));
        }
        Ok(format)
    }

    /// Reads what is stored. A format that is not stored is that of kb_rag 0.3.0.
    pub(super) fn read(source: &mut impl Source, otherwise: Lexemes) -> Lexemes {
        let format = source.since("lexeme_format").and_then(|number| {
            let format = known(number);
            if format.is_none() {
                source.note(
                    unknown(number).hint("A newer version of kb_rag may have written it: install that one."),
                );
            }
            format
        });
        Lexemes {
            format: format.unwrap_or(LexemeFormat::UNRECORDED),
            fold_accents: source.since("fold_accents").unwrap_or(otherwise.fold_accents),
        }
    }
}

fn known(number: i32) -> Option<LexemeFormat> {
    LexemeFormat::from_number(number)
}

fn unknown(number: i32) -> Error {
    Error::invalid(format!("lexeme_format {number} is not known"))
}
