//! The part of a text that shows why it was found.

use std::ops::Range;

/// A place of a text that a word of the query finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// In bytes.
    pub place: Range<usize>,
    /// The number of the word.
    pub word: usize,
}

/// The part of at most `max` characters, in bytes, with the most different words of the query; of equal ones that with the most
/// places, then the first. The places are in its middle where that is possible. It begins and ends between words, unless one word or
/// place is longer. Without a place it is the beginning of the text.
pub fn snippet(text: &str, mut matches: Vec<Match>, max: usize) -> Range<usize> {
    matches.retain(|found| text.get(found.place.clone()).is_some_and(|word| !word.is_empty()));
    matches.sort_unstable_by_key(|found| (found.place.start, found.place.end, found.word));
    let Some(span) = best_span(text, &matches, max) else { return between_words(text, 0..0, 0, max) };
    let spare = max.saturating_sub(text[span.clone()].chars().count());
    let before = back(text, span.start, spare / 2);
    between_words(text, span, before, max)
}

/// The places of the best part, as one range. None without a place.
fn best_span(text: &str, matches: &[Match], max: usize) -> Option<Range<usize>> {
    let ends: Vec<usize> = positions(text, matches.iter().map(|found| found.place.end));
    let starts: Vec<usize> = positions(text, matches.iter().map(|found| found.place.start));
    let words = matches.iter().map(|found| found.word + 1).max()?;
    let mut counts = vec![0_usize; words];
    let (mut first, mut distinct) = (0, 0);
    let mut best: Option<((usize, usize), Range<usize>)> = None;
    for (last, found) in matches.iter().enumerate() {
        distinct += usize::from(counts[found.word] == 0);
        counts[found.word] += 1;
        while first < last && ends[last].saturating_sub(starts[first]) > max {
            let word = matches[first].word;
            counts[word] -= 1;
            distinct -= usize::from(counts[word] == 0);
            first += 1;
        }
        let worth = (distinct, last - first + 1);
        if best.as_ref().is_none_or(|(most, _)| worth > *most) {
            best = Some((worth, matches[first].place.start..found.place.end));
        }
    }
    best.map(|(_, span)| span)
}

/// How many characters precede each of these offsets, which need not rise.
fn positions(text: &str, offsets: impl Iterator<Item = usize>) -> Vec<usize> {
    let (mut at, mut count) = (0, 0_usize);
    let within = |from: usize, to: usize| text.get(from..to).map_or(0, |part| part.chars().count());
    let position = |offset: usize| {
        count =
            if offset < at { count.saturating_sub(within(offset, at)) } else { count + within(at, offset) };
        at = offset;
        count
    };
    offsets.map(position).collect()
}

/// The offset so many characters before `from`.
fn back(text: &str, from: usize, characters: usize) -> usize {
    match characters.checked_sub(1) {
        None => from,
        Some(last) => text[..from].char_indices().rev().nth(last).map_or(0, |(at, _)| at),
    }
}

/// The offset so many characters after `from`.
fn forward(text: &str, from: usize, characters: usize) -> usize {
    text[from..].char_indices().nth(characters).map_or(text.len(), |(at, _)| from + at)
}

/// At most `max` characters from `from` on, or before, if the text ends earlier, without the words that are cut, of which none of
/// `span` is one.
fn between_words(text: &str, span: Range<usize>, from: usize, max: usize) -> Range<usize> {
    let end = forward(text, from, max);
    let missing = max - text[from..end].chars().count();
    let start = back(text, from, missing);
    let is_cut = |at: usize| {
        let before = text[..at].chars().next_back();
        let after = text[at..].chars().next();
        before.zip(after).is_some_and(|(before, after)| !before.is_whitespace() && !after.is_whitespace())
    };
    let (mut first, mut last) = (start, end);
    if is_cut(start) {
        let space = text[start..span.start.max(start)].find(char::is_whitespace);
        first = space.map_or(start, |space| start + space);
    }
    if is_cut(end) {
        let from = span.end.clamp(first, end);
        last = text[from..end].rfind(char::is_whitespace).map_or(end, |space| from + space);
    }
    let part = &text[first..last];
    let leading = part.len() - part.trim_start().len();
    first + leading..first + leading + part.trim().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of<'a>(text: &'a str, words: &[&str], max: usize) -> &'a str {
        let matches = words.iter().enumerate().flat_map(|(word, wanted)| {
            text.match_indices(wanted).map(move |(at, found)| Match { place: at..at + found.len(), word })
        });
        &text[snippet(text, matches.collect(), max)]
    }

    #[test]
    fn most_words_decide() {
        let text = "The hose leaks. Many other words stand here. If the hose is kinked, clean the pump.";
        assert_eq!(
            of(text, &["hose", "pump"], 50),
            "words stand here. If the hose is kinked, clean the pump."[6..].trim()
        );
        assert_eq!(of(text, &["hose"], 20), "The hose leaks. Many");
        assert_eq!(of(text, &[], 20), "The hose leaks. Many");
        assert_eq!(of(text, &["pump"], 1000), text);
    }

    #[test]
    fn words_stay_whole() {
        assert_eq!(of("alpha beta gamma delta epsilon", &["gamma"], 16), "beta gamma delta");
        assert_eq!(of("知识库里的文档会被切分", &["文档"], 4), "的文档会");
        assert_eq!(of("antidisestablishmentarianism", &["establish"], 5), "establ"[..5].trim());
        assert_eq!(of("  ", &[], 5), "");
    }

    proptest! {
        #[test]
        fn it_is_short_and_has_a_place(text in "[a-c é知 ]{0,60}", max in 1_usize..40, word in "[a-c]{1,2}") {
            let places: Vec<Match> = text.match_indices(&word).map(|(at, found)| Match { place: at..at + found.len(), word: 0 }).collect();
            let part = &text[snippet(&text, places.clone(), max)];
            prop_assert!(part.chars().count() <= max);
            if !places.is_empty() && word.len() <= max {
                prop_assert!(part.contains(&word), "{part:?} of {text:?}");
            }
            prop_assert_eq!(part.trim(), part);
        }
    }
}
