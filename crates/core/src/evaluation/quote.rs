//! A text that is expected in an answer: where a document has it, and which chunks hold enough of it. White space does not count.

use std::ops::Range;

use memchr::memmem;

/// A text without its white space.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Quote {
    letters: String,
    count: usize,
}

/// A document without its white space.
pub struct Page {
    letters: String,
    /// For each letter, the offset of its character in the document.
    offsets: Vec<u32>,
}

impl Page {
    /// That of a document.
    pub fn of(document: &str) -> Page {
        let (letters, offsets) = document
            .chars()
            .enumerate()
            .filter(|(_, letter)| !letter.is_whitespace())
            .map(|(offset, letter)| (letter, u32::try_from(offset).unwrap_or(u32::MAX)))
            .unzip();
        Page { letters, offsets }
    }
}

impl Quote {
    /// That of a text; None if nothing but white space is in it.
    pub fn of(text: &str) -> Option<Quote> {
        let letters: String = text.chars().filter(|letter| !letter.is_whitespace()).collect();
        let count = letters.chars().count();
        (count > 0).then_some(Quote { letters, count })
    }

    /// Whether a document has it.
    pub fn is_in(&self, page: &Page) -> bool {
        memmem::find(page.letters.as_bytes(), self.letters.as_bytes()).is_some()
    }

    /// Its places in a document, as ranges of letters; they do not overlap.
    pub fn places(&self, page: &Page) -> Vec<Range<usize>> {
        let (mut letters, mut bytes) = (0, 0);
        page.letters
            .match_indices(&self.letters)
            .map(|(at, _)| {
                letters += page.letters[bytes..at].chars().count();
                bytes = at;
                letters..letters + self.count
            })
            .collect()
    }

    /// Whether a chunk, from one offset of characters to another, holds at least half of it in one of its places.
    pub fn is_held(&self, page: &Page, places: &[Range<usize>], chunk: Range<u32>) -> bool {
        places.iter().any(|place| {
            let offsets = &page.offsets[place.clone()];
            let within = offsets.partition_point(|offset| *offset < chunk.end)
                - offsets.partition_point(|offset| *offset < chunk.start.min(chunk.end));
            2 * within >= self.count
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn holds(document: &str, text: &str, chunk: Range<u32>) -> bool {
        let (page, quote) = (Page::of(document), Quote::of(text).unwrap());
        quote.is_held(&page, &quote.places(&page), chunk)
    }

    #[test]
    fn half_of_a_text_is_enough() {
        let document = "Before. The key\n  is under the mat. After.";
        assert!(holds(document, "The key is under the mat.", 0..42));
        assert!(holds(document, "The key is  under", 8..20));
        assert!(!holds(document, "The key is under the mat.", 0..15));
        assert!(!holds(document, "The key is not under the mat.", 0..42));
        assert!(!holds(document, "under", Range { start: 30, end: 20 }));
        assert!(Quote::of(" \n").is_none());
        assert!(Quote::of("is under").unwrap().is_in(&Page::of(document)));
        assert!(!Quote::of("is over").unwrap().is_in(&Page::of(document)));
    }

    #[test]
    fn each_of_its_places_counts() {
        let document = "ä key. Another key.";
        assert!(holds(document, "key", 0..6));
        assert!(holds(document, "key", 8..19));
        assert!(!holds(document, "key", 6..14));
    }

    proptest! {
        /// Of two chunks side by side, at least one holds half.
        #[test]
        fn a_cut_loses_nothing(before in "[a-f äé\n]{0,30}", text in "[a-f äé]{0,20}x[a-f äé]{0,20}", after in "[a-f ]{0,30}", cut in 0u32..120) {
            let document = format!("{before}{text}{after}");
            let end = document.chars().count() as u32;
            let cut = cut.min(end);
            prop_assert!(holds(&document, &text, 0..cut) || holds(&document, &text, cut..end));
        }
    }
}
