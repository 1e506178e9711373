//! kb_lexemes and kb_highlight: what keyword search sees of a text.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use kb_rag_core::analyzer::Analyzer;
use kb_rag_core::lexeme::{Match, highlighted, joined, snippet};
use pgrx::pg_sys;

use super::keyword::no_text_config;
use super::{FoundChunk, Request, Syntax};
use crate::base::{self, KnowledgeBase};
use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::lexemes::{Found, Kind, Lexer};
use crate::postgres::spi::{self, Access, Arg, Planning};
use crate::postgres::transaction;
use crate::postgres::tsvector;

/// How many characters a snippet has at most by default.
pub const DEFAULT_SNIPPET_CHARS: i64 = 200;

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
        let lexer = Lexer::find(&base.settings.analyzer()).ok_or_else(|| no_text_config(&base))?;
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

/// The part of a text that shows what a query finds in it.
pub struct Highlight {
    /// With marks around the words, if there are any.
    pub snippet: String,
    /// Where it stands in the text, in characters from 0.
    pub start_char: i32,
    pub end_char: i32,
    /// Where the words stand in the text, each with its end.
    pub positions: Vec<(i32, i32)>,
}

/// The part of at most `max_chars` characters, or the whole text, in which a query finds most. `language` is that of the text.
pub fn highlight(
    content: &str,
    query: &str,
    knowledge_base: &str,
    syntax: Syntax,
    language: Option<&str>,
    max_chars: Option<i64>,
    marks: [&str; 2],
) -> Result<Highlight> {
    super::request::check_query(query, false)?;
    let max = max_chars.map(check_max_chars).transpose()?;
    let base = readable(content, knowledge_base)?;
    as_owner(&base, || {
        let settings = &base.settings;
        let config = language.and_then(tsvector::config_of_language);
        let analyzer = config.map_or_else(|| settings.analyzer(), |config| settings.lexemes.analyzer(config));
        let words = Words::of_statement(&analyzer, query, syntax);
        let matches = words.map_or_else(Vec::new, |words| words.matches(content));
        let part = max.map_or(0..content.len(), |max| snippet(content, matches.clone(), max));
        Ok(highlight_of(content, matches, part, marks))
    })
}

fn highlight_of(content: &str, matches: Vec<Match>, part: Range<usize>, marks: [&str; 2]) -> Highlight {
    let places = matches.into_iter().map(|found| found.place).collect();
    let mut places = joined(content, places);
    places.retain(|place| part.start <= place.start && place.end <= part.end);
    let mut characters = Characters::new(content);
    let (start_char, end_char) = (characters.before(part.start), characters.before(part.end));
    let positions =
        places.iter().map(|place| (characters.before(place.start), characters.before(place.end))).collect();
    let in_part: Vec<Range<usize>> =
        places.iter().map(|place| place.start - part.start..place.end - part.start).collect();
    let text = content.get(part).unwrap_or_default();
    Highlight { snippet: highlighted(text, &in_part, marks), start_char, end_char, positions }
}

/// 22023 unless the size of a snippet is in range.
fn check_max_chars(max_chars: i64) -> Result<usize> {
    usize::try_from(max_chars).ok().filter(|max| *max > 0).ok_or_else(|| {
        Error::invalid(format!("max_chars {max_chars} is out of range"))
            .hint("Use a positive number of characters, or NULL for the whole text.")
    })
}

/// Adds to results the parts that show why they were found.
pub fn add_snippets(request: &Request, bases: &[KnowledgeBase], chunks: &mut [FoundChunk]) -> Result<()> {
    for base in bases {
        let mut of_base = chunks.iter_mut().filter(|chunk| chunk.knowledge_base == base.name).peekable();
        if of_base.peek().is_none() {
            continue;
        }
        as_owner(base, || {
            let own = base.settings.analyzer();
            let mut known: HashMap<Option<String>, Option<Words>> = HashMap::new();
            for chunk in of_base {
                let words = known.entry(chunk.text_config.clone()).or_insert_with(|| {
                    let of_chunk = chunk.text_config.as_deref().and_then(Analyzer::parse);
                    Words::new(&of_chunk.unwrap_or(own), request.query, request.syntax)
                });
                let matches = words.as_ref().map_or_else(Vec::new, |words| words.matches(&chunk.content));
                let part = snippet(&chunk.content, matches, DEFAULT_SNIPPET_CHARS as usize);
                chunk.snippet = chunk.content.get(part).map(str::to_string);
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// The words of a query as an analyzer reads them.
struct Words {
    lexer: Lexer,
    /// The number of the first word of each lexeme.
    wanted: HashMap<String, usize>,
}

/// A question as an analyzer reads it, in a statement: kb_highlight is called for each result of a search.
struct Last {
    statement: (pg_sys::TimestampTz, pg_sys::TimestampTz, pg_sys::CommandId),
    analyzer: String,
    query: String,
    syntax: Syntax,
    words: Rc<Words>,
}

thread_local! {
    static LAST: RefCell<Option<Last>> = const { RefCell::new(None) };
}

impl Words {
    /// The same as [`Words::new`], read once in a statement.
    fn of_statement(analyzer: &Analyzer, query: &str, syntax: Syntax) -> Option<Rc<Words>> {
        let statement = (transaction::began_at(), transaction::statement_began_at(), transaction::command());
        let name = format!("{}{}", analyzer.config, analyzer.ending());
        let is_last = |last: &&Last| {
            (last.statement, last.syntax) == (statement, syntax)
                && last.analyzer == name
                && last.query == query
        };
        if let Some(words) =
            LAST.with_borrow(|last| last.as_ref().filter(is_last).map(|last| last.words.clone()))
        {
            return Some(words);
        }
        let words = Rc::new(Words::new(analyzer, query, syntax)?);
        let (query, words_read) = (query.to_string(), words.clone());
        LAST.set(Some(Last { statement, analyzer: name, query, syntax, words }));
        Some(words_read)
    }

    /// None if the text search configuration is gone. A search says so, and finds nothing by keyword.
    fn new(analyzer: &Analyzer, query: &str, syntax: Syntax) -> Option<Words> {
        let lexer = Lexer::find(analyzer)?;
        let words = lexer.query_words(&syntax.parse(query).words.join(" ")).words;
        let mut wanted = HashMap::new();
        for (number, word) in words.iter().enumerate() {
            word.all().for_each(|lexeme| {
                wanted.entry(lexeme.clone()).or_insert(number);
            });
        }
        Some(Words { lexer, wanted })
    }

    fn matches(&self, content: &str) -> Vec<Match> {
        let found = self.lexer.explain(content).into_iter();
        found
            .filter_map(|found| Some(Match { word: *self.wanted.get(&found.lexeme)?, place: found.place }))
            .collect()
    }
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
