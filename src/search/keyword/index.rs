//! What a query has read of the keyword index of a base.

use std::collections::BTreeSet;

use kb_rag_core::segment::Bitmap;
use kb_rag_core::visible::Sample;

use super::query::Query;
use crate::base::KnowledgeBase;
use crate::error::Result;
use crate::keyword_index::{Postings, Segments, Tables};
use crate::postgres::interrupt::check_for_interrupts;

/// The segments of a base, with the postings of a query.
pub struct Index {
    pub segments: Segments,
    /// The lexemes that were read, sorted: those that are ranked, and those of phrases.
    pub lexemes: Vec<Vec<u8>>,
    pub postings: Postings,
}

impl Index {
    /// That of a base, before postings are read.
    pub fn for_base(base: &KnowledgeBase) -> Result<Index> {
        let segments = Segments::read(Tables::for_base(base)?)?;
        Ok(Index { segments, lexemes: Vec::new(), postings: Postings::default() })
    }

    /// Reads the postings of a query.
    pub fn read(&mut self, query: &Query) -> Result<()> {
        let of_phrases =
            query.conditions.iter().flat_map(|conditions| conditions.phrases.iter().flatten().flatten());
        let all: BTreeSet<&String> = query.lexemes.iter().chain(of_phrases).collect();
        self.lexemes = all.into_iter().map(|lexeme| lexeme.as_bytes().to_vec()).collect();
        self.postings = self.segments.postings(&self.lexemes)?;
        Ok(())
    }

    /// In how many chunks the lexemes of the query are.
    pub fn frequencies(&self, query: &Query) -> Vec<f64> {
        let frequency = |lexeme: &String| self.postings.frequencies.get(self.place(lexeme)?).copied();
        query.lexemes.iter().map(|lexeme| frequency(lexeme).unwrap_or_default()).collect()
    }

    /// In how many of the chunks with these numbers, which ascend, each lexeme of the query is.
    pub fn frequencies_among(&self, query: &Query, numbers: &[i64]) -> Result<Vec<f64>> {
        let sets = self.sets_of(numbers)?;
        let mut frequencies = Vec::with_capacity(query.lexemes.len());
        for lexeme in &query.lexemes {
            check_for_interrupts();
            let mut frequency = 0.0;
            for (part, set) in self.postings.parts.iter().zip(&sets) {
                let Some(place) = self.place(lexeme) else { continue };
                let mut found = part.with_any(&[place])?;
                found.and_with(set);
                frequency += f64::from(found.count());
            }
            frequencies.push(frequency);
        }
        Ok(frequencies)
    }

    /// For each lexeme of the query a sample of the chunks that have it: numbers by hash, at most `size`.
    pub fn samples(&self, query: &Query, size: usize) -> Result<Vec<Vec<i64>>> {
        let mut samples: Vec<Sample> = self.lexemes.iter().map(|_| Sample::new(size)).collect();
        for part in &self.postings.parts {
            check_for_interrupts();
            part.offer_to(&mut samples, &self.postings.gone)?;
        }
        let mut samples: Vec<Vec<i64>> = samples.into_iter().map(Sample::into_numbers).collect();
        let of = |lexeme: &String| {
            self.place(lexeme)
                .and_then(|place| samples.get_mut(place))
                .map(std::mem::take)
                .unwrap_or_default()
        };
        Ok(query.lexemes.iter().map(of).collect())
    }

    fn place(&self, lexeme: &str) -> Option<usize> {
        self.lexemes.binary_search_by(|known| known.as_slice().cmp(lexeme.as_bytes())).ok()
    }

    /// The chunks of each part that have the words of the query's phrases; None if it has none that can be looked up.
    pub fn required(&self, query: &Query) -> Result<Option<Vec<Bitmap>>> {
        let phrases: Option<Vec<Vec<Vec<usize>>>> = query.conditions.as_ref().map(|conditions| {
            let of_phrase = |alternatives: &Vec<Vec<String>>| {
                alternatives
                    .iter()
                    .map(|lexemes| lexemes.iter().filter_map(|lexeme| self.place(lexeme)).collect())
                    .collect()
            };
            conditions.phrases.iter().map(of_phrase).collect()
        });
        let Some(phrases) = phrases.filter(|phrases| !phrases.is_empty()) else { return Ok(None) };
        let sets = self.postings.parts.iter().map(|part| {
            check_for_interrupts();
            Ok(part.with_required(&phrases)?)
        });
        Ok(Some(sets.collect::<Result<_>>()?))
    }

    /// The numbers of the chunks that have the words of the query's phrases; None if it has none that can be looked up.
    pub fn required_numbers(&self, query: &Query) -> Result<Option<Vec<i64>>> {
        let Some(required) = self.required(query)? else { return Ok(None) };
        self.numbers(&required).map(Some)
    }

    /// The numbers of the chunks that have a lexeme of the query, and the words of its phrases.
    pub fn matching_numbers(&self, query: &Query) -> Result<Vec<i64>> {
        let places: Vec<usize> = query.lexemes.iter().filter_map(|lexeme| self.place(lexeme)).collect();
        let mut sets = Vec::new();
        for part in &self.postings.parts {
            sets.push(part.with_any(&places)?);
        }
        if let Some(required) = self.required(query)? {
            sets.iter_mut().zip(&required).for_each(|(set, required)| set.and_with(required));
        }
        self.numbers(&sets)
    }

    /// The sets of the chunks with these numbers, which are sorted.
    pub fn sets_of(&self, numbers: &[i64]) -> Result<Vec<Bitmap>> {
        self.postings.parts.iter().map(|part| Ok(part.with_numbers(numbers)?)).collect()
    }

    fn numbers(&self, sets: &[Bitmap]) -> Result<Vec<i64>> {
        let mut numbers = Vec::new();
        for (part, set) in self.postings.parts.iter().zip(sets) {
            let found = part.numbers_in(set)?;
            numbers
                .extend(found.into_iter().filter(|number| self.postings.gone.binary_search(number).is_err()));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }
}
