//! Pages of a text.

/// Ends a page of a text.
pub const PAGE_END: char = '\u{c}';

/// Counts the pages of a text.
pub struct Pages<'a> {
    text: &'a str,
    /// The page at the byte, from 1; None in a text without pages.
    page: Option<i32>,
    byte: usize,
}

impl<'a> Pages<'a> {
    /// Begins at the start of the text.
    pub fn from_text(text: &'a str) -> Self {
        Self { text, page: text.contains(PAGE_END).then_some(1), byte: 0 }
    }

    /// The page of the text at `byte`, a character boundary that is not before that of an earlier call: 1 and the number of
    /// page ends before it. None in a text without any.
    pub fn at(&mut self, byte: usize) -> Option<i32> {
        let page = self.page.as_mut()?;
        *page += self.text[self.byte..byte].matches(PAGE_END).count() as i32;
        self.byte = byte;
        Some(*page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_page_ends() {
        let text = "é\u{c}two\u{c}\u{c}four";
        let mut pages = Pages::from_text(text);
        let at = |byte| Pages::from_text(text).at(byte);
        assert_eq!([0, 2, 3, 6, 7, 8, 12].map(at), [1, 1, 2, 2, 3, 4, 4].map(Some));
        assert_eq!([0, 3, 3, 8].map(|byte| pages.at(byte)), [1, 2, 2, 4].map(Some));
        assert_eq!(Pages::from_text("no pages").at(3), None);
    }
}
