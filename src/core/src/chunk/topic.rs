//! Where the topic of a text changes, judged by embeddings of its sentences.
//!
//! The method is TextTiling (Hearst, "TextTiling: Segmenting Text into Multi-paragraph Subtopic Passages",
//! Computational Linguistics 23, 1997) with embeddings in the place of word counts, as many systems have done since:
//! each gap between sentences is scored by the cosine similarity of the sentences before it and those after it, and
//! a gap is a break where the similarity dips: where it lies well below the nearest peaks on both sides.

use std::collections::VecDeque;
use std::iter::Peekable;
use std::vec::IntoIter;

use super::boundary::{Boundary, Level};
use super::prose::ProseBoundaries;

/// Shorter sentences are embedded together with the next.
const UNIT_CHARACTERS: usize = 80;

/// Lines without a sentence's end are parted when they are this long together.
const LINES_CHARACTERS: usize = 4 * UNIT_CHARACTERS;

/// Sentences (or groups of short ones) compared on each side of a gap.
const UNITS_BESIDE: usize = 3;

/// A break's dip is deeper than the mean of all gaps by this many standard deviations.
const DEVIATIONS: f32 = 1.0;

/// And never less than this: a text on one topic has dips too.
const LEAST_DEPTH: f32 = 0.15;

/// A sentence or several short ones.
struct Unit {
    /// Byte where it begins.
    start: usize,
    end: usize,
}

/// Byte offsets, ascending, of the sentences that begin another topic than the sentences before them.
///
/// `embed` is called once for each sentence, short ones taken together: at most once for 80 characters of text and
/// once more. It must give vectors of the same length; only the last few are kept.
///
/// # Errors
/// That of `embed`.
pub(crate) fn topic_breaks<E>(
    text: &str,
    mut embed: impl FnMut(&str) -> Result<Vec<f32>, E>,
) -> Result<Vec<usize>, E> {
    let units = units(text);
    if units.len() < 2 {
        return Ok(Vec::new());
    }
    let mut similarities = Vec::with_capacity(units.len() - 1);
    let mut vectors: VecDeque<Vec<f32>> = VecDeque::new();
    // The gap after unit `index` is scored when the units beside it are embedded, or there are no more of them.
    let mut first = 0;
    let mut ahead = units.iter();
    for gap in 1..units.len() {
        while first + vectors.len() < gap + UNITS_BESIDE
            && let Some(unit) = ahead.next()
        {
            vectors.push_back(embed(&text[unit.start..unit.end])?);
        }
        while first + UNITS_BESIDE < gap {
            vectors.pop_front();
            first += 1;
        }
        let before = sum(vectors.iter().take(gap - first));
        let after = sum(vectors.iter().skip(gap - first));
        similarities.push(cosine(&before, &after));
    }
    let depths = depths(&similarities);
    let mean = depths.iter().sum::<f32>() / depths.len() as f32;
    let variance = depths.iter().map(|depth| (depth - mean).powi(2)).sum::<f32>() / depths.len() as f32;
    let least = (mean + DEVIATIONS * variance.sqrt()).max(LEAST_DEPTH);
    // Of neighbouring gaps only the deepest is a dip.
    let is_dip = |gap: usize| {
        let around = gap.saturating_sub(1)..(gap + 2).min(depths.len());
        depths[gap] >= least && around.clone().all(|other| similarities[other] >= similarities[gap])
    };
    Ok((0..depths.len()).filter(|&gap| is_dip(gap)).map(|gap| units[gap + 1].start).collect())
}

/// The sentences of a text, short ones joined.
fn units(text: &str) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut start = None;
    for boundary in ProseBoundaries::new(text) {
        let Some((from, from_char)) = start else {
            start = Some((boundary.start.byte, boundary.start.char));
            continue;
        };
        let enough = if boundary.level >= Level::Sentence { UNIT_CHARACTERS } else { LINES_CHARACTERS };
        if boundary.level == Level::End || boundary.end.char - from_char >= enough {
            units.push(Unit { start: from, end: boundary.end.byte });
            start = Some((boundary.start.byte, boundary.start.char));
        }
    }
    units
}

fn sum<'a>(vectors: impl Iterator<Item = &'a Vec<f32>>) -> Vec<f32> {
    vectors.fold(Vec::new(), |mut sum, vector| {
        sum.resize(vector.len(), 0.0);
        sum.iter_mut().zip(vector).for_each(|(to, value)| *to += value);
        sum
    })
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    let lengths = (product(a, a) * product(b, b)).sqrt();
    if lengths.is_normal() { product(a, b) / lengths } else { 0.0 }
}

/// How far each similarity lies below the peaks on both sides: the sum of the two differences.
fn depths(similarities: &[f32]) -> Vec<f32> {
    let mut depths = vec![0.0; similarities.len()];
    climbs(similarities.iter().copied().enumerate(), &mut depths);
    climbs(similarities.iter().copied().enumerate().rev(), &mut depths);
    depths
}

/// Adds to each depth how far the similarity before it, in this direction, rises without falling.
fn climbs(similarities: impl Iterator<Item = (usize, f32)>, depths: &mut [f32]) {
    let (mut peak, mut before) = (f32::MIN, f32::MIN);
    for (index, similarity) in similarities {
        if similarity >= before {
            peak = similarity;
        }
        depths[index] += peak - similarity;
        before = similarity;
    }
}

/// Boundaries of plain text, raised where a topic begins.
pub(crate) struct TopicBoundaries<'a> {
    prose: ProseBoundaries<'a>,
    breaks: Peekable<IntoIter<usize>>,
}

impl<'a> TopicBoundaries<'a> {
    pub(crate) fn new(text: &'a str, breaks: Vec<usize>) -> Self {
        Self { prose: ProseBoundaries::new(text), breaks: breaks.into_iter().peekable() }
    }
}

impl Iterator for TopicBoundaries<'_> {
    type Item = Boundary;

    fn next(&mut self) -> Option<Boundary> {
        let mut boundary = self.prose.next()?;
        let mut begins = false;
        while let Some(at) = self.breaks.next_if(|&at| at <= boundary.start.byte) {
            begins |= at == boundary.start.byte;
        }
        if begins && (Level::Sentence..Level::Topic).contains(&boundary.level) {
            boundary.level = Level::Topic;
        }
        Some(boundary)
    }
}
