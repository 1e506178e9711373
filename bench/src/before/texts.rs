//! What the bench knows of the chunks of a base: how long they are, and where the lexemes of its queries occur.

use std::collections::HashMap;

use anyhow::Result;

use super::impact::{HEADING_WEIGHT, TITLE_WEIGHT};
use crate::corpus::Corpus;
use crate::queries::Query;
use crate::server::Server;

/// The chunks, numbered from 0.
pub struct Texts {
    pub lengths: Vec<u32>,
    pub mean_length: f64,
    /// The chunks that have a lexeme, each with its weighted frequency.
    occurrences: HashMap<String, Vec<(u32, f32)>>,
}

impl Texts {
    fn new(lengths: Vec<u32>, occurrences: HashMap<String, Vec<(u32, f32)>>) -> Texts {
        let total: f64 = lengths.iter().map(|length| f64::from(*length)).sum();
        Texts { mean_length: total / lengths.len().max(1) as f64, lengths, occurrences }
    }

    /// The first `len` passages of the corpus, and the words of these queries.
    pub fn of_corpus(corpus: &Corpus, len: usize, queries: &[Query]) -> Texts {
        let passages = corpus.passages(len);
        let mut found: HashMap<u32, Vec<(u32, f32)>> =
            queries.iter().flat_map(|query| &query.words).map(|word| (*word, Vec::new())).collect();
        for (number, passage) in (0u32..).zip(passages) {
            for word in passage {
                let Some(places) = found.get_mut(word) else { continue };
                match places.last_mut() {
                    Some((last, frequency)) if *last == number => *frequency += 1.0,
                    _ => places.push((number, 1.0)),
                }
            }
        }
        let lengths = passages.iter().map(|passage| passage.len() as u32).collect();
        Texts::new(lengths, found.into_iter().map(|(word, v)| (corpus.word(word).to_string(), v)).collect())
    }

    /// The rows of a table with columns `id`, `tsv` and `length`, and these lexemes.
    pub fn read(server: &mut Server, table: &str, lexemes: &[String]) -> Result<Texts> {
        let lengths = server.query(&format!("SELECT length FROM {table} ORDER BY id"), &[])?;
        let lengths = lengths.iter().map(|row| Ok(row.try_get::<_, i32>(0)?.max(0) as u32));
        let sql = include_str!("../../sql/occurrences.sql")
            .replace("{table}", table)
            .replace("{title}", &TITLE_WEIGHT.to_string())
            .replace("{heading}", &HEADING_WEIGHT.to_string());
        let mut occurrences = HashMap::new();
        for row in server.query(&sql, &[&lexemes])? {
            let (numbers, frequencies): (Vec<i32>, Vec<f32>) = (row.try_get(1)?, row.try_get(2)?);
            let places = numbers.into_iter().map(|number| number.max(0) as u32).zip(frequencies);
            occurrences.insert(row.try_get(0)?, places.collect());
        }
        Ok(Texts::new(lengths.collect::<Result<_>>()?, occurrences))
    }

    /// The chunks that have a lexeme of a query, each with its weighted frequency.
    pub fn occurrences(&self, lexeme: &str) -> &[(u32, f32)] {
        self.occurrences.get(lexeme).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queries::stratified;

    #[test]
    fn words_are_counted() {
        let corpus = Corpus::new(400);
        let queries = stratified(&corpus, 400, 1);
        let texts = Texts::of_corpus(&corpus, 400, &queries);
        for word in queries.iter().flat_map(|query| &query.words) {
            let count = |n: usize| corpus.passages(400)[n].iter().filter(|w| *w == word).count() as f32;
            let expected: Vec<(u32, f32)> =
                (0..400).map(|n| (n as u32, count(n))).filter(|(_, count)| *count > 0.0).collect();
            assert_eq!(texts.occurrences(corpus.word(*word)), expected);
        }
    }
}
