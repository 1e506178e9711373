//! Finds where the topic of a text changes, by embeddings of its sentences.
//!
//! The method is TextTiling (Hearst, "TextTiling: Segmenting Text into Multi-paragraph Subtopic Passages",
//! Computational Linguistics 23, 1997) with embeddings instead of word counts. Each gap between sentences is
//! scored by the cosine similarity of the sentences before it and those after it. A gap is a break where the
//! similarity dips well below the peaks on both sides. How deep a dip must be depends on the model, whose
//! similarities may all be near 0 or near 1, so the threshold is a share of the mean dissimilarity of the
//! text. Hearst's own threshold, the mean depth less half its deviation, finds breaks in every text, even one
//! on a single topic.

use std::collections::VecDeque;
use std::iter::Peekable;
use std::vec::IntoIter;

use super::boundary::{Boundary, Level};
use super::prose::ProseBoundaries;

/// A shorter sentence is embedded together with the next one.
const UNIT_CHARACTERS: usize = 80;

/// Lines without a sentence end are split when they are this long together.
const LINES_CHARACTERS: usize = 4 * UNIT_CHARACTERS;

/// Sentences (or groups of short ones) compared on each side of a gap. With 1, single odd sentences make
/// dips; with 3, short topics are missed.
const UNITS_BESIDE: usize = 2;

/// The dip of a break is at least this share of the mean dissimilarity. Measured on 60 texts of 2 to 10
/// topics, composed of paragraphs on ten topics, with sentences embedded by all-MiniLM-L6-v2: 0.4 finds 88 %
/// of the changes of topic, 92 % of its breaks are changes, and none lies inside a paragraph. 0.3 finds 90 %
/// and divides a paragraph; 0.5 finds 85 %.
const MIN_DIP: f32 = 0.4;

/// A smaller dip, in a text that repeats itself, is a rounding error.
const ROUNDING: f32 = 0.01;

/// A sentence, or several short ones.
struct Unit {
    /// The byte where it begins.
    start: usize,
    end: usize,
}

/// Byte offsets, ascending, of the sentences that begin a new topic.
///
/// `embed` is called once for each sentence, with short ones joined: at most once per 80 characters of text,
/// plus once. It must return vectors of one length; only the last few are kept.
///
/// # Errors
/// Returns the error of `embed`.
pub(crate) fn topic_breaks<E>(
    text: &str,
    check_interrupts: fn(),
    mut embed: impl FnMut(&str) -> Result<Vec<f32>, E>,
) -> Result<Vec<usize>, E> {
    let units = units(text, check_interrupts);
    if units.len() < 2 {
        return Ok(Vec::new());
    }
    let mut similarities = Vec::with_capacity(units.len() - 1);
    let mut vectors: VecDeque<Vec<f32>> = VecDeque::new();
    // `vectors` are those of the units beside the gap, starting with unit `first`.
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
    let mean =
        similarities.iter().map(|&similarity| f64::from(similarity)).sum::<f64>() / similarities.len() as f64;
    let least = (MIN_DIP * (1.0 - mean as f32)).max(ROUNDING);
    // Of neighboring gaps, only the deepest is a dip.
    let is_dip = |gap: usize| {
        let mut around = gap.saturating_sub(1)..(gap + 2).min(depths.len());
        depths[gap] >= least && around.all(|other| similarities[other] >= similarities[gap])
    };
    // A single sentence at either end is not a topic.
    let inner = UNITS_BESIDE - 1..(depths.len() + 1).saturating_sub(UNITS_BESIDE);
    Ok(inner.filter(|&gap| is_dip(gap)).map(|gap| units[gap + 1].start).collect())
}

/// The sentences of a text, short ones joined.
fn units(text: &str, check_interrupts: fn()) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut start = None;
    for boundary in ProseBoundaries::new(text, check_interrupts) {
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

/// How far each similarity is below the peaks on both sides: the sum of the two differences.
fn depths(similarities: &[f32]) -> Vec<f32> {
    let mut depths = vec![0.0; similarities.len()];
    climbs(similarities.iter().copied().enumerate(), &mut depths);
    climbs(similarities.iter().copied().enumerate().rev(), &mut depths);
    depths
}

/// Adds to each depth how far the preceding similarities, in this direction, rise without falling.
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

/// Boundaries of plain text, ranked higher where a topic begins.
pub(crate) struct TopicBoundaries<'a> {
    prose: ProseBoundaries<'a>,
    breaks: Peekable<IntoIter<usize>>,
}

impl<'a> TopicBoundaries<'a> {
    pub(crate) fn new(prose: ProseBoundaries<'a>, breaks: Vec<usize>) -> Self {
        Self { prose, breaks: breaks.into_iter().peekable() }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A text of sentences numbered by topic, with an embedding that knows the topics.
    fn breaks(topics: &[usize]) -> Vec<usize> {
        let sentence = |topic: &usize| {
            format!(
                "Topic {topic} is what this sentence of quite usual length is really about, more or less. "
            )
        };
        let text: String = topics.iter().map(sentence).collect();
        let mut calls = 0;
        let embed = |unit: &str| {
            calls += 1;
            let mut vector = vec![0.1; 10];
            let digit = |c: char| c.to_digit(10).map(|digit| digit as usize);
            unit.chars().filter_map(digit).for_each(|digit| vector[digit] += 1.0);
            Ok::<_, ()>(vector)
        };
        let found = topic_breaks(&text, || (), embed).unwrap();
        assert!(calls <= text.len() / UNIT_CHARACTERS + 1);
        let length = sentence(&0).len();
        found.into_iter().map(|at| at / length).collect()
    }

    #[test]
    fn breaks_where_topics_change() {
        assert_eq!(breaks(&[1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3]), [4, 9]);
        assert!(breaks(&[1; 20]).is_empty());
        assert!(breaks(&[1]).is_empty());
        assert!(breaks(&[]).is_empty());
    }

    #[test]
    fn errors_are_passed_on() {
        let text =
            "A sentence that is long enough to stand alone, with some more words in it, and more. ".repeat(3);
        assert_eq!(topic_breaks(&text, || (), |_| Err("no model")), Err("no model"));
    }
}
