//! What the keyword arm makes of a question, for explanations.

use std::collections::HashMap;
use std::ops::Range;

use kb_rag_core::lexeme::{self, uncovered};
use serde::Serialize;

use super::Keyword;
use crate::base::KnowledgeBase;
use crate::postgres::lexemes::Lexer;
use crate::search::Request;

/// The question's words.
#[derive(Serialize)]
pub struct Words {
    /// How many chunks the frequencies are of: under row security, about those that the caller may see.
    chunks: f64,
    words: Vec<Word>,
    dropped: Vec<Dropped>,
}

/// A word with the lexemes that stand for it.
#[derive(Serialize)]
struct Word {
    /// As the question has it; None for neighbors that are joined.
    word: Option<String>,
    lexemes: Vec<Ranked>,
}

#[derive(Serialize)]
struct Ranked {
    lexeme: String,
    /// How many chunks have it.
    chunks: f64,
    /// Its weight: its inverse document frequency, less for a part of a word. None if it is not ranked.
    weight: Option<f64>,
}

#[derive(Serialize)]
struct Dropped {
    word: String,
    reason: &'static str,
}

impl Keyword {
    /// The question's words in the base at a place in the scope. Lexemes are read as the owner of the base: its readers need no
    /// privilege on the schema of its text search configuration.
    pub fn explain(&self, request: &Request, base: &KnowledgeBase, place: usize) -> Option<Words> {
        let query = self.queries.get(place)?;
        let text = request.syntax.parse(request.query).distinct().words.join(" ");
        let found =
            Lexer::find(&base.settings.analyzer()).map_or_else(Vec::new, |lexer| lexer.explain(&text));
        let places: HashMap<u32, Range<usize>> =
            found.iter().map(|found| (found.position, found.place.clone())).collect();
        let part_weight = base.settings.ranking.part_weight;
        let frequency = |lexeme: &str| self.pool.frequency(lexeme);
        let weights = lexeme::weights(&query.words, self.pool.chunks, frequency, part_weight);
        let ranked = |lexeme: &String| Ranked {
            lexeme: lexeme.clone(),
            chunks: frequency(lexeme),
            weight: weights.get(lexeme).copied().filter(|_| query.lexemes.binary_search(lexeme).is_ok()),
        };
        let words = query.words.iter().map(|word| Word {
            word: word
                .at
                .and_then(|at| places.get(&at))
                .and_then(|place| text.get(place.clone()))
                .map(str::to_string),
            lexemes: word.all().map(ranked).collect(),
        });
        let all: Vec<Range<usize>> = found.iter().map(|found| found.place.clone()).collect();
        let stop_words = uncovered(&text, &all)
            .into_iter()
            .map(|word| Dropped { word: word.to_string(), reason: "stop word, or nothing that is indexed" });
        // Words of which every lexeme is a stop word of another language in use.
        let is_kept = |at: &u32| query.words.iter().any(|word| word.at == Some(*at));
        let mut of_others: Vec<(&u32, &Range<usize>)> =
            places.iter().filter(|(at, _)| !is_kept(at)).collect();
        of_others.sort_by_key(|(at, _)| **at);
        let of_others = of_others.into_iter().filter_map(|(_, place)| {
            let word = text.get(place.clone())?.to_string();
            Some(Dropped { word, reason: "stop word of another language of the base" })
        });
        Some(Words {
            chunks: self.pool.chunks,
            words: words.collect(),
            dropped: stop_words.chain(of_others).collect(),
        })
    }
}
