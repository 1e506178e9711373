//! kb_lexemes and kb_highlight: what keyword search sees of a text.

use std::collections::{HashMap, HashSet};

use kb_rag_core::lexeme::{QueryWord, highlighted};

use super::Syntax;
use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::lexemes::{Found, Kind, Lexer};
use crate::postgres::spi::{self, Access, Arg, Planning};
use crate::postgres::tsvector;

/// What kb_highlight writes before and after a word by default, as ts_headline does.
pub const DEFAULT_MARKS: [&str; 2] = ["<b>", "</b>"];

/// A lexeme of a text.
pub struct Lexeme {
    pub lexeme: String,
    pub kind: &'static str,
    pub position: i32,
    /// Its word, as the text has it.
    pub source: String,
    /// The dictionary that gave it; None if it stands as it is.
    pub dictionary: Option<String>,
    /// Where its word stands, in characters from 0.
    pub start_char: i32,
    pub end_char: i32,
}

/// The lexemes that a base makes of a text.
pub fn lexemes(content: &str, knowledge_base: &str) -> Result<Vec<Lexeme>> {
    let base = readable(content, knowledge_base)?;
    as_owner(&base, || {
        let config = &base.settings.text_config;
        let lexer = Lexer::find(&base.settings.analyzer()).ok_or_else(|| {
            Error::not_found(format!("the text search configuration {config} does not exist"))
                .hint("Create it, or set another one with kb_configure(name, text_config => …).")
        })?;
        let found = lexer.explain(content);
        let dictionaries = dictionaries(config, &found)?;
        let mut characters = Characters::new(content);
        let lexeme = |found: Found| Lexeme {
            kind: name(found.kind),
            position: i32::try_from(found.position).unwrap_or(i32::MAX),
            source: content.get(found.place.clone()).unwrap_or_default().to_string(),
            start_char: characters.before(found.place.start),
            end_char: characters.before(found.place.end),
            dictionary: found.asked.and_then(|text| dictionaries.get(&(text, found.lexeme.clone())).cloned()),
            lexeme: found.lexeme,
        };
        Ok(found.into_iter().map(lexeme).collect())
    })
}

/// A text with marks around the words that a query finds.
pub fn highlight(
    content: &str,
    query: &str,
    knowledge_base: &str,
    syntax: Syntax,
    marks: [&str; 2],
) -> Result<String> {
    super::request::check_query(query, false)?;
    let base = readable(content, knowledge_base)?;
    as_owner(&base, || {
        // A search says that the text search configuration is gone, and finds nothing by keyword.
        let Some(lexer) = Lexer::find(&base.settings.analyzer()) else { return Ok(content.to_string()) };
        let parsed = syntax.parse(query);
        let words = lexer.query_words(&parsed.words.join(" ")).words;
        let wanted: HashSet<&String> = words.iter().flat_map(QueryWord::all).collect();
        let found = lexer.explain(content).into_iter().filter(|found| wanted.contains(&found.lexeme));
        Ok(highlighted(content, found.map(|found| found.place).collect(), marks))
    })
}

/// The base, which the caller must be able to read.
fn readable(content: &str, knowledge_base: &str) -> Result<KnowledgeBase> {
    tsvector::check_length(content)?;
    let base = base::by_name(knowledge_base, Access::Read)?;
    base.read(|| Ok(()))?;
    Ok(base)
}

/// Runs `work` as the owner of the base: its readers need no privilege on the schema of its text search configuration.
fn as_owner<T>(base: &KnowledgeBase, work: impl FnOnce() -> Result<T>) -> Result<T> {
    // PostgreSQL gives a notice for words too long to index.
    base.read_as_owner(|| guc::with_settings(&[(c"client_min_messages", c"warning")], work))
}

/// The dictionary that makes a lexeme of a text, by both.
fn dictionaries(config: &str, found: &[Found]) -> Result<HashMap<(String, String), String>> {
    let texts: HashSet<&String> = found.iter().filter_map(|found| found.asked.as_ref()).collect();
    let texts: Vec<String> = texts.into_iter().cloned().collect();
    let args = [Arg::new(config.to_string()), Arg::new(texts)];
    let rows = spi::connect(|connection| {
        connection.query(include_str!("dictionaries.sql"), Access::Read, Planning::Generic, &args, |row| {
            Ok(((row.require(1)?, row.require(2)?), row.require(3)?))
        })
    })?;
    Ok(rows.into_iter().collect())
}

fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Word => "word",
        Kind::Folded => "folded",
        Kind::Part => "part",
        Kind::Bigram => "bigram",
    }
}

/// Counts characters before offsets that are near to each other: bigrams overlap.
struct Characters<'a> {
    text: &'a str,
    offset: usize,
    characters: usize,
}

impl<'a> Characters<'a> {
    fn new(text: &'a str) -> Characters<'a> {
        Characters { text, offset: 0, characters: 0 }
    }

    fn before(&mut self, offset: usize) -> i32 {
        let count = |from, to| self.text.get(from..to).map_or(0, |text| text.chars().count());
        self.characters = if offset < self.offset {
            self.characters.saturating_sub(count(offset, self.offset))
        } else {
            self.characters + count(self.offset, offset)
        };
        self.offset = offset;
        i32::try_from(self.characters).unwrap_or(i32::MAX)
    }
}
