//! The conditions that the old search asked for, one after the other.

use super::impact::{self, UNLEVELLED};
use super::maxscore::{Bounds, Condition, need_for_share};
use super::texts::Texts;
use crate::oracle::{B, K1};

/// How many candidates a search wants first, whatever the number of results.
const DEPTH: usize = 80;
/// The first condition is meant to give this many times the chunks wanted: with fewer, a second one, which costs
/// more, would often be necessary. Each further one, if there were too few, is meant to give `WIDER` times as many.
const AMPLE: f64 = 4.0;
const WIDER: f64 = 8.0;
/// Stands for a lexeme that a chunk lacks.
const ABSENT: u8 = u8::MAX;

/// The conditions of a query of these distinct lexemes, each in the text form of a tsquery.
pub fn conditions(texts: &Texts, lexemes: &[String]) -> Vec<String> {
    let terms = Terms::new(texts, lexemes);
    let mut seen: Vec<String> = Vec::new();
    let mut conditions = Vec::new();
    for condition in terms.steps(&Candidates::new(texts, &terms), DEPTH) {
        let reaching = format!("{} | {}", tsquery(&condition, &terms.lexemes), quote(UNLEVELLED));
        let mut matching = format!("({reaching})");
        for seen in &seen {
            matching.push_str(&format!(" & !({seen})"));
        }
        conditions.push(matching);
        seen.push(reaching);
    }
    conditions
}

/// The lexemes of a query, rarest first.
struct Terms<'a> {
    lexemes: Vec<&'a str>,
    idfs: Vec<f64>,
    /// What each can add to a score, by its level.
    bounds: Vec<Bounds>,
    /// In what share of the chunks it is.
    shares: Vec<f64>,
    chunks: f64,
}

impl<'a> Terms<'a> {
    fn new(texts: &Texts, lexemes: &'a [String]) -> Terms<'a> {
        let frequency = |lexeme: &str| texts.occurrences(lexeme).len();
        let mut lexemes: Vec<&str> = lexemes.iter().map(String::as_str).collect();
        lexemes.sort_by(|a, b| frequency(a).cmp(&frequency(b)).then_with(|| a.cmp(b)));
        let chunks = texts.lengths.len() as f64;
        let frequencies = lexemes.iter().map(|lexeme| frequency(lexeme) as f64);
        let idfs: Vec<f64> =
            frequencies.clone().map(|f| (1.0 + (chunks - f + 0.5) / (f + 0.5)).ln()).collect();
        Terms {
            bounds: idfs.iter().map(|idf| impact::bounds(*idf, texts.mean_length)).collect(),
            shares: frequencies.map(|f| f / chunks.max(1.0)).collect(),
            lexemes,
            idfs,
            chunks,
        }
    }

    /// The conditions until no other chunk can be among the best `depth`.
    fn steps(&self, candidates: &Candidates, depth: usize) -> Vec<Condition> {
        let mut wanted = AMPLE * depth as f64;
        let need_for =
            |wanted: f64| need_for_share(&self.bounds, &self.shares, wanted / self.chunks.max(1.0));
        let mut need = need_for(wanted);
        let mut steps = Vec::new();
        while let Some(condition) = Condition::reaching(&self.bounds, &self.shares, need) {
            steps.push(condition);
            if need <= 0.0 {
                break;
            }
            need = match candidates.worst_of_best(&steps, depth) {
                // No chunk that was left out can get in.
                Some(worst) if worst >= need => break,
                Some(worst) => worst,
                None => {
                    wanted *= WIDER;
                    need_for(wanted).min(need / 2.0)
                }
            };
        }
        steps
    }
}

/// The chunks with a lexeme of the query.
struct Candidates {
    /// Number and score, best first.
    scores: Vec<(usize, f64)>,
    /// The level of each lexeme in each chunk.
    levels: Vec<u8>,
    /// How many lexemes there are.
    lexemes: usize,
}

impl Candidates {
    fn new(texts: &Texts, terms: &Terms) -> Candidates {
        let lexemes = terms.lexemes.len();
        let mut scores = vec![0.0; texts.lengths.len()];
        let mut levels = vec![ABSENT; texts.lengths.len() * lexemes];
        for (place, (lexeme, idf)) in terms.lexemes.iter().zip(&terms.idfs).enumerate() {
            for (number, frequency) in texts.occurrences(lexeme) {
                let (number, frequency) = (*number as usize, f64::from(*frequency));
                let length = texts.lengths[number];
                let norm = K1 * (1.0 - B + B * f64::from(length) / texts.mean_length);
                scores[number] += idf * frequency * (K1 + 1.0) / (frequency + norm);
                levels[number * lexemes + place] = impact::level(frequency, length) as u8;
            }
        }
        let mut scores: Vec<(usize, f64)> =
            scores.into_iter().enumerate().filter(|(_, score)| *score > 0.0).collect();
        scores.sort_by(|a, b| b.1.total_cmp(&a.1));
        Candidates { scores, levels, lexemes }
    }

    fn holds(&self, conditions: &[Condition], number: usize) -> bool {
        let levels = &self.levels[number * self.lexemes..][..self.lexemes];
        let level = |lexeme: usize| Some(levels[lexeme]).filter(|level| *level != ABSENT).map(usize::from);
        conditions.iter().any(|condition| condition.holds(&level))
    }

    /// The score of the last of the best `depth` among the chunks for which one of the conditions holds.
    fn worst_of_best(&self, conditions: &[Condition], depth: usize) -> Option<f64> {
        let holding = self.scores.iter().filter(|(number, _)| self.holds(conditions, *number));
        holding.map(|(_, score)| *score).nth(depth.max(1) - 1)
    }
}

/// A lexeme in the text form of a tsquery.
fn quote(lexeme: &str) -> String {
    format!("'{}'", lexeme.replace('\\', "\\\\").replace('\'', "''"))
}

/// Parts joined by an operator as a tree of little depth: PostgreSQL processes a tsquery recursively.
fn balanced(parts: &[String], operator: &str) -> String {
    if parts.len() <= 16 {
        return parts.join(operator);
    }
    let (left, right) = parts.split_at(parts.len() / 2);
    format!("({}){operator}({})", balanced(left, operator), balanced(right, operator))
}

/// A condition on lexemes, in the text form of a tsquery.
fn tsquery(condition: &Condition, lexemes: &[&str]) -> String {
    let join = |conditions: &[Condition], operator| {
        let parts: Vec<String> = conditions.iter().map(|condition| tsquery(condition, lexemes)).collect();
        format!("({})", balanced(&parts, operator))
    };
    match condition {
        Condition::Key(lexeme, level) => {
            quote(&impact::key(lexemes.get(*lexeme).copied().unwrap_or_default(), *level))
        }
        Condition::All(all) => join(all, " & "),
        Condition::Any(any) => join(any, " | "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Corpus;
    use crate::oracle::Bm25;
    use crate::queries::{Query, stratified};
    use uuid::Uuid;

    fn lexemes(corpus: &Corpus, query: &Query) -> Vec<String> {
        query.words.iter().map(|word| corpus.word(*word).to_string()).collect()
    }

    #[test]
    fn the_conditions_hold_for_the_best_chunks_and_not_for_all() {
        let len = 3_000;
        let corpus = Corpus::new(len);
        let queries = stratified(&corpus, len, 3);
        let texts = Texts::of_corpus(&corpus, len, &queries);
        let chunks: Vec<Uuid> = (0..len).map(|n| Uuid::from_u128(n as u128)).collect();
        let oracle = Bm25::new(&corpus, &chunks);
        let (mut held, mut all) = (0, 0);
        for query in &queries {
            let lexemes = lexemes(&corpus, query);
            let terms = Terms::new(&texts, &lexemes);
            let candidates = Candidates::new(&texts, &terms);
            let steps = terms.steps(&candidates, 10);
            let best = oracle.best(&query.words, 10);
            for ((_, score), (chunk, expected)) in candidates.scores.iter().zip(&best) {
                assert!((score - expected).abs() < 1e-9);
                assert!(candidates.holds(&steps, chunk.as_u128() as usize), "{} {steps:?}", query.text);
            }
            held += candidates.scores.iter().filter(|(number, _)| candidates.holds(&steps, *number)).count();
            all += candidates.scores.len();
        }
        assert!(held * 2 < all, "{held} of {all} chunks");
    }

    #[test]
    fn later_conditions_exclude_the_earlier_ones() {
        let corpus = Corpus::new(500);
        let queries = stratified(&corpus, 500, 2);
        let texts = Texts::of_corpus(&corpus, 500, &queries);
        for query in &queries {
            let conditions = conditions(&texts, &lexemes(&corpus, query));
            assert!(!conditions.is_empty());
            for (n, condition) in conditions.iter().enumerate() {
                assert_eq!(condition.matches(" & !(").count(), n, "{condition}");
            }
        }
        assert_eq!(quote("a'b\\c"), "'a''b\\\\c'");
        assert!(conditions(&texts, &[]).is_empty());
    }
}
