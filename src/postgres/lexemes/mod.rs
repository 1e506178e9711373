//! The lexemes of texts and queries in format 2: what PostgreSQL's parser and dictionaries make of the units of a text
//! (`kb_rag_core::lexeme`).

mod explain;
mod kept;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use kb_rag_core::analyzer::{Analyzer, LexemeFormat};
use kb_rag_core::bigram;
use kb_rag_core::lexeme::{
    Conventions, MARK, Part, PartKind, Piece, QueryWord, Unit, bigrams, each_piece, neighbors, normalize,
    units, units_by,
};
use kb_rag_core::tsvector::MAX_LEXEME_BYTES;
use pgrx::pg_sys;

use crate::postgres::parsed::{Parsed, Word};
use crate::postgres::regconfig::RegConfig;
use crate::postgres::tsvector::quote;

/// No chunk has more lexemes of parts, and they take no more bytes: one of identifiers only has some hundred.
const MAX_PARTS: usize = 8192;
const MAX_PART_BYTES: usize = 256 << 10;

pub use explain::{Found, Kind};
use kept::{Kept, Lexemes};

/// An analyzer with its text search configuration.
pub struct Lexer {
    config: RegConfig,
    format: LexemeFormat,
    conventions: Conventions,
}

/// The lexemes of the words among parts: names come several times in a text.
#[derive(Default)]
struct Known(HashMap<String, Rc<Lexemes>>);

impl Known {
    fn words(&mut self, lexer: &Lexer, text: &str) -> Rc<Lexemes> {
        let made = || Rc::new(Lexemes::of_text(&lexer.config, text));
        Rc::clone(self.0.entry(text.to_string()).or_insert_with(made))
    }
}

impl Lexer {
    /// None if the configuration does not exist.
    pub fn find(analyzer: &Analyzer) -> Option<Lexer> {
        let config = RegConfig::find(analyzer.config)?;
        Some(Lexer::new(config, analyzer.format, analyzer.folds_accents))
    }

    /// One with a configuration that exists.
    pub fn new(config: RegConfig, format: LexemeFormat, folds_accents: bool) -> Lexer {
        let name = config.built_in_name().unwrap_or_default();
        Lexer { config, format, conventions: Conventions::of_config(&name, folds_accents) }
    }

    pub fn config(&self) -> &RegConfig {
        &self.config
    }

    pub fn format(&self) -> LexemeFormat {
        self.format
    }

    /// The tsvector of a text, whose first word has the position after `position`.
    pub fn tsvector(&self, text: &str, position: u32) -> pg_sys::Datum {
        let normalized = normalize(text);
        let mut parsed = Parsed::new(position, normalized.text.len());
        let mut parts = Parts::default();
        let from_kept = kept::with_kept(self, |kept| {
            self.add_kept(&mut parsed, &mut parts, &normalized.text, kept);
        });
        if from_kept.is_none() {
            for unit in units(&normalized.text, &self.conventions) {
                self.add(&mut parsed, &mut parts, &unit);
            }
        }
        parts.add_to(&mut parsed);
        parsed.into_tsvector()
    }

    fn add(&self, parsed: &mut Parsed, parts: &mut Parts, unit: &Unit) {
        match unit {
            Unit::Text(text) => parsed.parse(&self.config, text),
            Unit::Run(run) => add_run(parsed, run),
            Unit::Token(text, of_token) => {
                let (from, position) = (parsed.len(), parsed.position() + 1);
                parsed.parse(&self.config, text);
                for lexeme in of_parts(of_token, |text| parts.known.words(self, text)) {
                    if !parsed.words(from).any(|word| word.lexeme == lexeme) {
                        parts.push(&lexeme, position);
                    }
                }
            }
        }
    }

    /// The same lexemes for a whole text, made of those that are kept.
    fn add_kept(&self, parsed: &mut Parsed, parts: &mut Parts, text: &str, kept: &mut Kept) {
        for unit in units_by(text, |token| kept.token(token)) {
            match unit {
                Unit::Run(run) => add_run(parsed, run),
                Unit::Text(text) => self.add_text(parsed, text, kept),
                Unit::Token(_, of_token) => {
                    let position = parsed.position() + 1;
                    of_token.words.add_to(parsed);
                    of_token.parts.iter().for_each(|lexeme| parts.push(lexeme, position));
                }
            }
        }
    }

    fn add_text(&self, parsed: &mut Parsed, text: &str, kept: &mut Kept) {
        // What is read as it stands, before the next word that is kept.
        let mut rest = 0..0;
        each_piece(text, |piece| {
            let word = if let Piece::Word(word) = piece { kept.word(word) } else { None };
            let (Piece::Word(found) | Piece::Text(found)) = piece;
            let start = found.as_ptr().addr() - text.as_ptr().addr();
            match word {
                Some(word) => {
                    self.parse(parsed, text, std::mem::take(&mut rest));
                    word.add_to(parsed);
                }
                None if rest.is_empty() => rest = start..start + found.len(),
                None => rest.end = start + found.len(),
            }
        });
        self.parse(parsed, text, rest);
    }

    fn parse(&self, parsed: &mut Parsed, text: &str, range: Range<usize>) {
        if let Some(text) = text.get(range).filter(|text| !text.is_empty()) {
            parsed.parse(&self.config, text);
        }
    }

    /// The lexemes of a text of one word.
    fn of_text(&self, text: &str) -> Vec<Vec<u8>> {
        let mut parsed = Parsed::new(0, text.len());
        parsed.parse(&self.config, text);
        parsed.words(0).map(|word| word.lexeme.to_vec()).collect()
    }

    /// The words of a query, in its order.
    pub fn query_words(&self, query: &str) -> QueryWords {
        if self.format == LexemeFormat::One {
            return self.words_of_format_1(query);
        }
        let normalized = normalize(query);
        let (mut words, mut known, mut position) = (QueryWords::default(), Known::default(), 0);
        for unit in units(&normalized.text, &self.conventions) {
            let mut parsed = Parsed::new(position, unit.text().len());
            match &unit {
                Unit::Text(text) => parsed.parse(&self.config, text),
                Unit::Run(run) => add_run(&mut parsed, run),
                Unit::Token(text, _) => parsed.parse(&self.config, text),
            }
            if let Unit::Token(_, parts) = &unit {
                let (joined, parts): (Vec<Part>, Vec<Part>) =
                    parts.iter().cloned().partition(|part| part.kind == PartKind::Joined);
                let [parts, joined] =
                    [parts, joined].map(|parts| of_parts(&parts, |text| known.words(self, text)));
                words.add(word_of(Some(position + 1), parsed.words(0), parts, joined));
            } else {
                words.add_all(&parsed, position);
            }
            position = parsed.position();
        }
        // Two stop words are no word: there for is not therefore.
        let has_lexemes = |word: &&str| !self.of_text(word).is_empty();
        let pairs = neighbors(&normalized.text).into_iter().filter(|pair| pair.iter().any(has_lexemes));
        let joined = pairs.map(|pair| self.of_text(&pair.concat()));
        joined.for_each(|lexemes| words.add(word_of(None, [].into_iter(), Vec::new(), lexemes)));
        if words.words.is_empty() {
            words.words.extend(self.letters(&normalized.text));
        }
        words
    }

    /// The letters of a query that has nothing but words of one letter, which configurations take for stop words.
    fn letters(&self, query: &str) -> Option<QueryWord> {
        let is_letter = |word: &&str| word.chars().count() == 1;
        let words = query.split(|c: char| !c.is_alphanumeric()).filter(is_letter);
        let parts: Vec<String> = words.map(str::to_lowercase).collect();
        (!parts.is_empty()).then(|| QueryWord { parts, ..QueryWord::default() })
    }

    fn words_of_format_1(&self, query: &str) -> QueryWords {
        let split = bigram::split(query);
        let mut parsed = Parsed::new(0, query.len());
        parsed.parse(&self.config, &split.rest);
        let mut words = QueryWords::default();
        words.add_all(&parsed, 0);
        for (at, (_, bigram)) in (parsed.position() + 1..).zip(split.bigrams) {
            let lexemes = vec![bigram.to_string()];
            words.words.push(QueryWord { at: Some(at), lexemes, ..QueryWord::default() });
        }
        words
    }

    /// A phrase in the text form of a tsquery: its words as they are written, at their distances. None if it has no words.
    pub fn phrase(&self, phrase: &str) -> Option<String> {
        if self.format == LexemeFormat::One {
            let split = bigram::split(phrase);
            let mut words = Parsed::new(0, phrase.len());
            words.parse(&self.config, &split.rest);
            let mut bigrams = Parsed::new(0, phrase.len());
            split.bigrams.iter().for_each(|(position, bigram)| bigrams.push(bigram.as_bytes(), *position));
            // The positions of bigrams come after those of all words. Runs need not follow each other.
            let parts: Vec<String> =
                [chain(&words, u32::MAX), chain(&bigrams, 1)].into_iter().flatten().collect();
            return (!parts.is_empty()).then(|| parts.join(" & "));
        }
        let normalized = normalize(phrase);
        let mut parsed = Parsed::new(0, phrase.len());
        for unit in units(&normalized.text, &self.conventions) {
            match unit {
                Unit::Text(text) | Unit::Token(text, _) => parsed.parse(&self.config, text),
                Unit::Run(run) => add_run(&mut parsed, run),
            }
        }
        chain(&parsed, u32::MAX)
    }
}

/// The distinct lexemes of parts; `words_of` makes those of a word.
fn of_parts(parts: &[Part], mut words_of: impl FnMut(&str) -> Rc<Lexemes>) -> Vec<Vec<u8>> {
    let mut found: Vec<Vec<u8>> = Vec::new();
    let mut push = |lexeme: &[u8]| {
        if !found.iter().any(|known| known == lexeme) {
            found.push(lexeme.to_vec());
        }
    };
    for part in parts {
        match part.kind {
            PartKind::Lexeme | PartKind::Letter => push(part.text.as_bytes()),
            PartKind::Word | PartKind::Joined | PartKind::Folded => {
                words_of(&part.text).iter().for_each(|(_, lexeme)| push(lexeme));
            }
        }
    }
    found
}

/// Adds the bigrams of a run. A gap of one keeps phrases from crossing its end.
fn add_run(parsed: &mut Parsed, run: &str) {
    for bigram in bigrams(run) {
        parsed.skip(1);
        // A cluster may have any number of marks, but a lexeme is limited in bytes.
        if bigram.len() <= MAX_LEXEME_BYTES {
            parsed.push(bigram.as_bytes(), parsed.position());
        }
    }
    parsed.skip(1);
}

/// Lexemes of parts with their positions, until it is known whether they fit.
#[derive(Default)]
struct Parts {
    known: Known,
    found: Vec<(Vec<u8>, u32)>,
    bytes: usize,
}

impl Parts {
    fn push(&mut self, lexeme: &[u8], position: u32) {
        let lexeme = [lexeme, &[MARK as u8]].concat();
        let bytes = Parsed::bytes_of(&lexeme);
        if lexeme.len() <= MAX_LEXEME_BYTES
            && self.found.len() < MAX_PARTS
            && self.bytes + bytes <= MAX_PART_BYTES
        {
            self.bytes += bytes;
            self.found.push((lexeme, position));
        }
    }

    /// Adds them to the words, unless the tsvector of a text that fits without them would be too long.
    fn add_to(self, parsed: &mut Parsed) {
        if !self.found.is_empty() && self.bytes <= parsed.bytes_left() {
            self.found.iter().for_each(|(lexeme, position)| parsed.push(lexeme, *position));
        }
    }
}

/// The words of a query.
#[derive(Debug, Default)]
pub struct QueryWords {
    /// Those that a lexeme stands for.
    pub words: Vec<QueryWord>,
    /// The places of stop words ([`QueryWord::at`]).
    pub stop_words: BTreeSet<u32>,
}

impl QueryWords {
    fn add(&mut self, word: QueryWord) {
        if word.lexemes.is_empty() && word.parts.is_empty() {
            self.stop_words.extend(word.at);
        }
        if !word.is_empty() {
            self.words.push(word);
        }
    }

    /// Adds plain words, the first of which has the place after `position`.
    fn add_all(&mut self, parsed: &Parsed, position: u32) {
        self.stop_words.extend(position + 1..=parsed.position());
        for words in by_position(parsed) {
            let at = words.first().map(|word| word.position);
            if let Some(at) = &at {
                self.stop_words.remove(at);
            }
            self.add(word_of(at, words.into_iter(), Vec::new(), Vec::new()));
        }
    }
}

/// The words of each position, in order.
fn by_position(parsed: &Parsed) -> Vec<Vec<Word<'_>>> {
    let mut groups: Vec<Vec<Word>> = Vec::new();
    for word in parsed.words(0) {
        match groups
            .last_mut()
            .filter(|group| group.last().is_some_and(|last| last.position == word.position))
        {
            Some(group) => group.push(word),
            None => groups.push(vec![word]),
        }
    }
    groups
}

/// A word of these lexemes, none of them twice: not as a part if it is a word, or joined, as well.
fn word_of<'a>(
    at: Option<u32>,
    words: impl Iterator<Item = Word<'a>>,
    parts: Vec<Vec<u8>>,
    joined: Vec<Vec<u8>>,
) -> QueryWord {
    let mut seen = HashSet::new();
    let mut distinct = |lexemes: Vec<Vec<u8>>| -> Vec<String> {
        let texts = lexemes.into_iter().map(|lexeme| String::from_utf8_lossy(&lexeme).into_owned());
        texts.filter(|text| seen.insert(text.clone())).collect()
    };
    QueryWord {
        at,
        lexemes: distinct(words.map(|word| word.lexeme.to_vec()).collect()),
        joined: distinct(joined),
        parts: distinct(parts),
    }
}

/// Words one after the other in the text form of a tsquery. Those that are more than `distance` positions apart need not follow
/// each other.
fn chain(parsed: &Parsed, distance: u32) -> Option<String> {
    let mut query = String::new();
    let mut last: Option<u32> = None;
    for group in by_position(parsed) {
        let Some(position) = group.first().map(|word| word.position) else { continue };
        if let Some(last) = last {
            match position.saturating_sub(last) {
                1 => query.push_str(" <-> "),
                apart if apart <= distance => query.push_str(&format!(" <{apart}> ")),
                _ => query.push_str(" & "),
            }
        }
        query.push_str(&alternatives(&group));
        last = Some(position);
    }
    last.is_some().then_some(query)
}

/// The words of one position: those of a variant together, or those of another.
fn alternatives(group: &[Word]) -> String {
    let variants: Vec<String> = group
        .chunk_by(|one, other| one.variant == other.variant)
        .map(|words| {
            let lexemes: Vec<String> =
                words.iter().map(|word| quote(&String::from_utf8_lossy(word.lexeme))).collect();
            lexemes.join(" & ")
        })
        .collect();
    match variants.as_slice() {
        [only] if group.len() == 1 => only.clone(),
        _ => format!("({})", variants.join(" | ")),
    }
}
