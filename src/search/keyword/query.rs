//! The query as the analyzers of a base read it.

use std::collections::BTreeSet;
use std::ffi::CStr;

use kb_rag_core::analyzer::{Analyzer, LexemeFormat};
use kb_rag_core::language;
use kb_rag_core::lexeme::{QueryWord, lexemes};
use kb_rag_core::websearch::{self, WebSearch};

use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::lexemes::{Lexer, QueryWords};
use crate::postgres::tsvector;
use crate::search::Request;

/// The phrases of a query, and its exclusions, hold at most this many lexemes; with more the search fails, since leaving some
/// out would give wrong results. Each chunk is compared with all excluded lexemes, but with a phrase only up to the first
/// word that differs.
const MAX_DEMANDED: usize = 1024;
const MAX_EXCLUDED: usize = 128;
/// So many words of the phrases are looked up in the keyword index.
const MAX_LOOKED_UP: usize = 64;

/// A query as words, lexemes and a condition.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// The words, as each analyzer in use reads them.
    pub words: Vec<QueryWord>,
    /// The distinct lexemes that are ranked, sorted: those of the words, of their parts, and what other texts have as parts.
    pub lexemes: Vec<String>,
    /// What else a chunk must satisfy; None when there is nothing.
    pub conditions: Option<Conditions>,
}

/// What the operators of a query demand, in the text form of tsqueries.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// Phrases that must occur, words that must not.
    pub condition: String,
    /// The part that the keyword index can look up: for each phrase its alternatives, each with the words that it must have, in
    /// any order.
    pub phrases: Vec<Vec<Vec<String>>>,
}

impl Query {
    /// Reads a query as the base's analyzer does, and those that made the lexemes of its chunks. `part_weight` 0 leaves parts
    /// out. Fails only for too many phrases and exclusions, which plain text has none of: 54000.
    pub fn new(own: &Analyzer, in_use: &[String], part_weight: f64, request: &Request) -> Result<Query> {
        let parsed = request.syntax.parse(request.query).distinct();
        check_conditions(parsed.phrases.len(), parsed.excluded.len())?;
        // The owner may have written any text to the chunks, or dropped a configuration.
        let others = in_use.iter().filter_map(|name| Analyzer::parse(name)).filter(|other| other != own);
        let analyzers: Vec<Analyzer> = [*own].into_iter().chain(others).collect();
        let lexers: Vec<Lexer> = analyzers.iter().filter_map(Lexer::find).collect();
        let has_parts =
            part_weight > 0.0 && analyzers.iter().any(|analyzer| analyzer.format == LexemeFormat::Two);
        // PostgreSQL gives a notice for words too long to index.
        let quiet: &[(&CStr, &CStr)] = &[(c"client_min_messages", c"warning")];
        guc::with_settings(quiet, || {
            let words = words(&lexers, &parsed.words.join(" "), has_parts);
            let lexemes = lexemes(&words, has_parts);
            Ok(Query { words, lexemes, conditions: Conditions::new(&lexers, &parsed)? })
        })
    }
}

/// The words of a query as each lexer reads them.
fn words(lexers: &[Lexer], query: &str, has_parts: bool) -> Vec<QueryWord> {
    let readings: Vec<QueryWords> = lexers.iter().map(|lexer| lexer.query_words(query)).collect();
    let left_out = language::common_words(readings.iter().map(|reading| &reading.stop_words));
    let is_left_out = |word: &QueryWord| word.at.is_some_and(|at| left_out.contains(&at));
    // A query of nothing else is about these words.
    let is_about_others = readings
        .iter()
        .flat_map(|reading| &reading.words)
        .any(|word| !is_left_out(word) && word.at.is_some());
    let mut words: Vec<QueryWord> = Vec::new();
    for mut word in readings.into_iter().flat_map(|reading| reading.words) {
        if !has_parts {
            word.parts.clear();
            word.joined.clear();
        }
        words.push(word);
    }
    words.retain(|word| !word.is_empty() && (!is_about_others || !is_left_out(word)));
    words
}

impl Conditions {
    fn new(lexers: &[Lexer], parsed: &WebSearch) -> Result<Option<Conditions>> {
        let read = |texts: &[&str]| -> Vec<Vec<String>> {
            // If documents have several languages, a phrase may be found in any of them.
            let alternatives = |text: &&str| -> BTreeSet<String> {
                lexers.iter().filter_map(|lexer| lexer.phrase(text)).collect()
            };
            let all = texts.iter().map(alternatives).filter(|alternatives| !alternatives.is_empty());
            all.map(|alternatives| alternatives.into_iter().collect()).collect()
        };
        let (demanded, excluded) = (read(&parsed.phrases), read(&parsed.excluded));
        let [lexemes_demanded, lexemes_excluded] = [&demanded, &excluded]
            .map(|parts| parts.iter().flatten().map(|query| websearch::lexeme_count(query)).sum());
        check_conditions(lexemes_demanded, lexemes_excluded)?;
        let any = |alternatives: &Vec<String>| format!("({})", alternatives.join(" | "));
        let condition: Vec<String> =
            demanded.iter().map(any).chain(excluded.iter().map(|part| format!("!{}", any(part)))).collect();
        Ok((!condition.is_empty()).then(|| Conditions {
            condition: balanced(&condition, " & "),
            phrases: words_of_phrases(&demanded),
        }))
    }
}

/// What phrases, each given by its alternatives, demand of the keyword index, which has no positions: their words, in any
/// order. Of many words the first ones: a chunk that has these is compared with all. A phrase of which an alternative demands
/// no single word is left out.
fn words_of_phrases(phrases: &[Vec<String>]) -> Vec<Vec<Vec<String>>> {
    let mut left = MAX_LOOKED_UP;
    let mut words = Vec::new();
    for alternatives in phrases {
        // Any of them may be the one that occurs, so each is looked up by at least one word.
        let of_each = left / alternatives.len().max(1);
        if of_each == 0 {
            break;
        }
        let of_phrase: Vec<Vec<String>> = alternatives
            .iter()
            .map(|alternative| {
                let operands = websearch::demanded(alternative).into_iter();
                operands.filter_map(websearch::single_lexeme).take(of_each).collect()
            })
            .collect();
        if of_phrase.iter().all(|words| !words.is_empty()) {
            left -= of_phrase.iter().map(Vec::len).sum::<usize>();
            words.push(of_phrase);
        }
    }
    words
}

/// 54000 for more phrases, exclusions, or lexemes in them, than a search can compare with every chunk.
fn check_conditions(demanded: usize, excluded: usize) -> Result<()> {
    for (count, max, what) in
        [(demanded, MAX_DEMANDED, "in quotes"), (excluded, MAX_EXCLUDED, "after a minus sign")]
    {
        if count > max {
            return Err(Error::limit(format!("the query has {count} lexemes {what}")).hint(format!(
                "At most {max} are allowed; words without quotes and minus signs are ranked in any number."
            )));
        }
    }
    Ok(())
}

/// Lexemes joined by OR, in the text form of a tsquery.
pub fn any_of<'a>(lexemes: impl Iterator<Item = &'a str>) -> String {
    balanced(&lexemes.map(tsvector::quote).collect::<Vec<_>>(), " | ")
}

/// Parts joined by an operator as a tree of little depth: PostgreSQL processes a tsquery recursively.
fn balanced(parts: &[String], operator: &str) -> String {
    if parts.len() <= 16 {
        return parts.join(operator);
    }
    let (left, right) = parts.split_at(parts.len() / 2);
    format!("({}){operator}({})", balanced(left, operator), balanced(right, operator))
}
