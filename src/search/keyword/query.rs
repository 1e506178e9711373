//! The query in a base's text search configuration.

use std::collections::BTreeSet;
use std::ffi::CStr;

use kb_rag_core::analyzer::Analyzer;
use kb_rag_core::bigram::{self, Split};
use kb_rag_core::websearch::{self, WebSearch};

use crate::error::{Error, Result};
use crate::postgres::guc;
use crate::postgres::regconfig::RegConfig;
use crate::postgres::spi::{Access, Arg, Connection, Planning};
use crate::postgres::tsvector;
use crate::search::Request;

/// The phrases of a query, and its exclusions, hold at most this many lexemes; with more the search fails, since leaving some
/// out would give wrong results. Each chunk is compared with all excluded lexemes, but with a phrase only up to the first
/// word that differs.
const MAX_DEMANDED: usize = 1024;
const MAX_EXCLUDED: usize = 128;
/// So many words of the phrases are looked up in the keyword index.
const MAX_LOOKED_UP: usize = 64;

/// A query as lexemes and a condition.
#[derive(Clone, Debug, Default)]
pub struct Query {
    /// The distinct lexemes that are ranked.
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
    /// Splits the text of a query into lexemes, in the base's configuration and in those of its documents' languages. Fails
    /// only for too many phrases and exclusions, which plain text has none of: 54000.
    pub fn new(
        connection: &Connection,
        text_config: &str,
        in_use: &[String],
        request: &Request,
    ) -> Result<Query> {
        let parsed = request.syntax.parse(request.query).distinct();
        check_conditions(parsed.phrases.len(), parsed.excluded.len())?;
        let others = in_use.iter().filter_map(|name| Analyzer::parse(name));
        let others = others.map(|analyzer| analyzer.config.to_string()).collect::<BTreeSet<_>>();
        let others = others.into_iter().filter(|config| *config != text_config);
        // The owner may have written any text to the chunks, or dropped a configuration.
        let configs: Vec<String> = [text_config.to_string()]
            .into_iter()
            .chain(others)
            .filter(|config| RegConfig::find(config).is_some())
            .collect();
        // PostgreSQL gives a notice for phrases of stop words and for words too long to index.
        let quiet: &[(&CStr, &CStr)] = &[(c"client_min_messages", c"warning")];
        guc::with_settings(quiet, || {
            let lexemes = tsvector::lexemes(&configs, &parsed.words.join(" "))?;
            let conditions = Conditions::new(connection, configs, &parsed)?;
            Ok(Query { lexemes, conditions })
        })
    }
}

impl Conditions {
    fn new(connection: &Connection, configs: Vec<String>, parsed: &WebSearch) -> Result<Option<Conditions>> {
        if parsed.phrases.is_empty() && parsed.excluded.is_empty() {
            return Ok(None);
        }
        let split = |texts: &[&'_ str]| -> (Vec<String>, Vec<Option<String>>) {
            texts
                .iter()
                .map(|text| {
                    let split = bigram::split(text);
                    (split.rest.to_string(), bigram_phrase(&split))
                })
                .unzip()
        };
        let (phrase_words, phrase_bigrams) = split(&parsed.phrases);
        let (excluded_words, excluded_bigrams) = split(&parsed.excluded);
        let args = [
            Arg::new(configs),
            Arg::new(phrase_words),
            Arg::new(phrase_bigrams),
            Arg::new(excluded_words),
            Arg::new(excluded_bigrams),
        ];
        let sql = include_str!("query.sql");
        let parts: Vec<(bool, Vec<String>)> =
            connection.query(sql, Access::Read, Planning::Generic, &args, |row| {
                Ok((row.require(1)?, row.require(2)?))
            })?;
        let (excluded, demanded): (Vec<_>, Vec<_>) = parts.into_iter().partition(|(excluded, _)| *excluded);
        let [excluded, demanded] =
            [excluded, demanded].map(|parts| parts.into_iter().map(|(_, part)| part).collect::<Vec<_>>());
        let [lexemes_excluded, lexemes_demanded] = [&excluded, &demanded]
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

/// The bigrams of a phrase one after the other, in the text form of a tsquery. None when it has none.
fn bigram_phrase(phrase: &Split) -> Option<String> {
    let mut query = String::new();
    let mut last = None;
    for (position, bigram) in &phrase.bigrams {
        if let Some(last) = last {
            query.push_str(if last + 1 == *position { " <-> " } else { " & " });
        }
        query.push_str(&tsvector::quote(bigram));
        last = Some(*position);
    }
    last.is_some().then_some(query)
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
