//! Lexemes of a text for the keyword index, beside the words that PostgreSQL's parser finds.
//!
//! A text is brought to one form of its letters ([`normalize`]) and cut into [`units`]. Plain text goes to the parser and the
//! dictionaries of a text search configuration as it is. Scripts without spaces give bigrams. A token that is more than a plain
//! word goes there, too, and has [`Part`]s besides: the parts of a compound (`user` of getUserById), a word without its accents
//! (cafe of café), a single letter that a configuration takes for a stop word (vitamin A). The lexemes of parts end with [`MARK`],
//! so that the index tells them from words: a word's frequency does not count chunks that have it only as a part, and the weight of
//! parts can change without a change of the index.
//!
//! The same function reads texts and queries. A query gives more: neighboring words as one ([`neighbors`]).

mod compound;
mod coverage;
mod fold;
mod highlight;
mod normalize;
mod number;
mod plain;
mod proximity;
mod query;
mod snippet;
mod token;
mod uncovered;

use unicode_segmentation::UnicodeSegmentation;

pub use compound::MAX_PARTS;
pub use coverage::{Coverage, Held};
pub use fold::{Spelling, folded};
pub use highlight::{highlighted, joined};
pub use normalize::{Normalized, normalize};
pub use number::DecimalMark;
pub use plain::{Piece, each_piece};
pub use proximity::Proximity;
pub use query::{QueryWord, lexemes, marked, weights};
pub use snippet::{Match, snippet};
pub use token::{Token, neighbors, trimmed, units, units_by};
pub use uncovered::uncovered;

/// The last byte of the lexeme of a part. PostgreSQL's parser takes it for a space, so that no word ends with it.
pub const MARK: char = '\u{1}';

/// Words of a title are so far from those of the heading, and these from the text: no phrase or proximity reaches across.
pub const GAP: u32 = 64;

/// Conventions of a language in writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conventions {
    /// Before a fraction.
    pub decimal_mark: DecimalMark,
    /// Letters without accents; None if accents are not left out.
    pub spelling: Option<Spelling>,
}

impl Conventions {
    /// Those of a text search configuration, given by its name without a schema.
    pub fn of_config(name: &str, folds_accents: bool) -> Conventions {
        Conventions {
            decimal_mark: DecimalMark::of_config(name),
            spelling: folds_accents.then(|| Spelling::of_config(name)),
        }
    }
}

/// How a part becomes a lexeme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// A part of a compound. The configuration makes a lexeme of it, unless it is a stop word.
    Word,
    /// The atoms of a compound as one word. The configuration makes a lexeme of it.
    Joined,
    /// A part that is a lexeme as it stands, in lower case.
    Lexeme,
    /// The word without accents. The configuration makes a lexeme of it.
    Folded,
    /// A single capital letter: a lexeme as it stands.
    Letter,
}

/// A part of a token, which gives lexemes beside those of the token itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its text.
    pub text: String,
    /// How it becomes a lexeme.
    pub kind: PartKind,
}

/// A piece of a normalized text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unit<'a, P = Vec<Part>> {
    /// Text for the parser alone.
    Text(&'a str),
    /// A token for the parser, and its parts.
    Token(&'a str, P),
    /// A run of characters of a script without spaces.
    Run(&'a str),
}

impl<'a, P> Unit<'a, P> {
    /// Its text.
    pub fn text(&self) -> &'a str {
        match self {
            Unit::Text(text) | Unit::Token(text, _) | Unit::Run(text) => text,
        }
    }
}

/// The overlapping bigrams of a run, or the one character that it has. Characters are grapheme clusters, so that a vowel or tone
/// mark stays with its consonant.
pub fn bigrams(run: &str) -> Vec<&str> {
    let starts: Vec<usize> = run.grapheme_indices(true).map(|(at, _)| at).chain([run.len()]).collect();
    let width = if starts.len() > 2 { 2 } else { 1 };
    let ends = starts.iter().skip(width);
    starts.iter().zip(ends).filter_map(|(start, end)| run.get(*start..*end)).collect()
}

#[cfg(test)]
mod tests;
