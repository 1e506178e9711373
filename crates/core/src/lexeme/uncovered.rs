//! Words of a text that nothing was made of.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// The words (UAX 29) that overlap none of the places, which are ranges of bytes, in their order.
pub fn uncovered<'a>(text: &'a str, places: &[Range<usize>]) -> Vec<&'a str> {
    text.unicode_word_indices()
        .filter(|(at, word)| {
            let end = at + word.len();
            !places.iter().any(|place| place.start < end && *at < place.end)
        })
        .map(|(_, word)| word)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_without_a_place() {
        assert_eq!(uncovered("how do reset it", &[7..12, 20..21]), ["how", "do", "it"]);
        assert_eq!(uncovered("", &[]), Vec::<&str>::new());
        assert_eq!(uncovered("reset it", &[2..3, 6..8]), Vec::<&str>::new());
    }
}
