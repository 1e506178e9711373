//! The origin of each lexeme of a text.

use std::ops::Range;
use std::slice;

use kb_rag_core::analyzer::LexemeFormat;
use kb_rag_core::lexeme::{Normalized, Part, PartKind, Unit, bigrams, normalize, trimmed, units};

use super::{Known, Lexer, of_parts};
use crate::postgres::interrupt::check_for_interrupts;
use crate::postgres::parsed::Parsed;

/// How a lexeme came out of its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Word,
    Folded,
    Part,
    Bigram,
}

/// A lexeme of a text, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Without mark.
    pub lexeme: String,
    pub kind: Kind,
    pub position: u32,
    /// Where its word stands, in bytes of the text.
    pub place: Range<usize>,
    /// The text from which a dictionary made the lexeme. None if it stands as it is.
    pub asked: Option<String>,
}

impl Lexer {
    /// Every lexeme of a text, in the order of the positions of their words.
    pub fn explain(&self, text: &str) -> Vec<Found> {
        let normalized = match self.format {
            LexemeFormat::One => Normalized::unchanged(text),
            LexemeFormat::Two => normalize(text),
        };
        let mut explained = Explained {
            lexer: self,
            normalized: &normalized,
            parsed: Parsed::new(0, text.len()),
            known: Known::default(),
            found: Vec::new(),
        };
        // In format 1 bigrams come after all words, and there are no parts.
        let is_last = |unit: &Unit| self.format == LexemeFormat::One && matches!(unit, Unit::Run(_));
        let (last, first): (Vec<Unit>, Vec<Unit>) =
            units(&normalized.text, &self.conventions).into_iter().partition(is_last);
        for unit in first.iter().chain(&last) {
            check_for_interrupts();
            explained.unit(unit);
        }
        explained.found
    }
}

struct Explained<'a> {
    lexer: &'a Lexer,
    normalized: &'a Normalized<'a>,
    parsed: Parsed,
    known: Known,
    found: Vec<Found>,
}

impl Explained<'_> {
    fn unit(&mut self, unit: &Unit) {
        match unit {
            Unit::Run(run) => self.run(run),
            Unit::Text(text) => text.split_whitespace().for_each(|token| self.token(token)),
            Unit::Token(token, parts) => {
                let (from, position) = (self.found.len(), self.parsed.position() + 1);
                self.token(token);
                if self.lexer.format == LexemeFormat::Two {
                    let place = self.place(trimmed(token));
                    parts.iter().for_each(|part| self.part(part, from, position, &place));
                }
            }
        }
    }

    fn run(&mut self, run: &str) {
        for bigram in bigrams(run) {
            self.parsed.skip(1);
            let (position, place) = (self.parsed.position(), self.place(bigram));
            self.found.push(Found {
                lexeme: bigram.to_string(),
                kind: Kind::Bigram,
                position,
                place,
                asked: None,
            });
        }
        self.parsed.skip(1);
    }

    fn token(&mut self, token: &str) {
        let (from, place) = (self.parsed.len(), self.place(trimmed(token)));
        self.parsed.parse(&self.lexer.config, token);
        self.found.extend(self.parsed.words(from).map(|word| Found {
            lexeme: String::from_utf8_lossy(word.lexeme).into_owned(),
            kind: Kind::Word,
            position: word.position,
            place: place.clone(),
            asked: Some(token.to_string()),
        }));
    }

    /// Adds the lexemes of a part that its token, whose lexemes begin at `from`, does not have yet.
    fn part(&mut self, part: &Part, from: usize, position: u32, place: &Range<usize>) {
        let is_asked = matches!(part.kind, PartKind::Word | PartKind::Joined | PartKind::Folded);
        for lexeme in of_parts(slice::from_ref(part), |text| self.known.words(self.lexer, text)) {
            let lexeme = String::from_utf8_lossy(&lexeme).into_owned();
            if self.found.iter().skip(from).any(|known| known.lexeme == lexeme) {
                continue;
            }
            self.found.push(Found {
                lexeme,
                kind: if part.kind == PartKind::Folded { Kind::Folded } else { Kind::Part },
                position,
                place: place.clone(),
                asked: is_asked.then(|| part.text.clone()),
            });
        }
    }

    /// Where a slice of the normalized text stands in the original.
    fn place(&self, slice: &str) -> Range<usize> {
        let start = slice.as_ptr().addr().saturating_sub(self.normalized.text.as_ptr().addr());
        self.normalized.original(start)..self.normalized.original(start + slice.len())
    }
}
