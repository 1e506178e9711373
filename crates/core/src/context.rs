//! The text that is put before a question for a chat model: passages with a label each.

use std::borrow::Cow;

use crate::chunk::{self, Settings, Strategy};

/// Between two passages.
pub const SEPARATOR: &str = "\n\n---\n\n";

/// The source of a passage that has neither a source nor a title.
const UNKNOWN: &str = "document";

/// Where a passage is from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Source<'a> {
    /// The key at the source: a path, a URL or a primary key.
    pub key: Option<&'a str>,
    /// The title of the document.
    pub title: Option<&'a str>,
    /// The URL of a row of a table.
    pub url: Option<&'a str>,
    /// Whether the key is that of a row of a table.
    pub is_row: bool,
}

impl<'a> Source<'a> {
    /// The last part of a path. None for other keys.
    pub fn file_name(&self) -> Option<&'a str> {
        let path = self.key.filter(|key| !self.is_row && !is_url(key))?;
        path.rsplit(['/', '\\']).find(|part| !part.trim().is_empty())
    }

    /// How a passage names it: the last part of a path, a whole URL, or the title, on one line and without brackets.
    pub fn label(&self) -> Cow<'a, str> {
        let url = self.url.or(self.key.filter(|_| !self.is_row)).filter(|url| is_url(url));
        let title = self.title.filter(|title| !title.trim().is_empty());
        one_line(url.or_else(|| self.file_name()).or(title).unwrap_or(UNKNOWN))
    }
}

/// Whether a key is a URL with a host.
fn is_url(key: &str) -> bool {
    let Some((scheme, rest)) = key.split_once("://") else { return false };
    let mut letters = scheme.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        && !rest.is_empty()
}

/// A text on one line, with parentheses for brackets: a label must not look like two.
fn one_line(text: &str) -> Cow<'_, str> {
    let text = match text.contains(['[', ']']) {
        true => Cow::Owned(text.replace('[', "(").replace(']', ")")),
        false => Cow::Borrowed(text),
    };
    if text.contains(|c: char| c.is_control() || c.is_whitespace() && c != ' ') || text.trim() != text {
        Cow::Owned(
            text.split(|c: char| c.is_whitespace() || c.is_control())
                .filter(|w| !w.is_empty())
                .collect::<Vec<_>>()
                .join(" "),
        )
    } else {
        text
    }
}

/// A similarity in percent, rounded. At most 100.
pub fn percent(similarity: f64) -> i64 {
    (similarity * 100.0).round() as i64
}

/// A passage of a context.
#[derive(Clone, Debug)]
pub struct Passage<'a> {
    /// What stands before the text, with the space or line break between them.
    pub label: String,
    /// A chunk.
    pub text: Cow<'a, str>,
}

impl<'a> Passage<'a> {
    /// `[Relevance: 87%]` on a line of its own. The similarity is at most 1.
    pub fn with_relevance(similarity: f64, text: impl Into<Cow<'a, str>>) -> Passage<'a> {
        Passage { label: format!("[Relevance: {}%]\n", percent(similarity)), text: text.into() }
    }

    /// `[Source: guide.pdf]` on a line of its own.
    pub fn below_source(source: &Source, text: impl Into<Cow<'a, str>>) -> Passage<'a> {
        Passage { label: format!("[Source: {}]\n", source.label()), text: text.into() }
    }

    /// The same with ` (page 4)` behind the label, if there is a page.
    pub fn on_page(mut self, page: Option<i32>) -> Passage<'a> {
        if let (Some(page), Some(end)) = (page, self.label.rfind(']')) {
            self.label.insert_str(end + 1, &format!(" (page {page})"));
        }
        self
    }

    /// `[Source: guide.pdf]` and the text on one line.
    pub fn after_source(source: &Source, text: impl Into<Cow<'a, str>>) -> Passage<'a> {
        Passage { label: format!("[Source: {}] ", source.label()), text: text.into() }
    }
}

/// The passages as one text of at most `max_chars` characters: the first ones that fit whole. The first of all is cut where
/// a chunk of that size would end. None if there is no passage, or no room for any of its text.
pub fn join(passages: &[Passage], max_chars: Option<usize>) -> Option<String> {
    let mut left = max_chars.unwrap_or(usize::MAX);
    let mut joined: Option<String> = None;
    for Passage { label, text } in passages {
        let before = match joined {
            Some(_) => SEPARATOR,
            None => "",
        };
        let taken = [before, label, text].iter().map(|part| part.chars().count()).sum::<usize>();
        match (&mut joined, left.checked_sub(taken)) {
            (joined, Some(rest)) => {
                left = rest;
                let joined = joined.get_or_insert_default();
                joined.extend([before, label, text]);
            }
            (None, None) => {
                let text = beginning(text, left.saturating_sub(label.chars().count()))?;
                return Some(format!("{label}{text}"));
            }
            (Some(_), None) => break,
        }
    }
    joined
}

/// The first chunk of a text if a chunk has at most `size` characters.
fn beginning(text: &str, size: usize) -> Option<&str> {
    let settings = Settings::new(size, 0, Strategy::Text).ok()?;
    let first = chunk::chunks(text, &settings).next()?;
    text.get(first.bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn source<'a>(key: &'a str, title: &'a str) -> Source<'a> {
        let some = |text: &'a str| (!text.is_empty()).then_some(text);
        Source { key: some(key), title: some(title), url: None, is_row: false }
    }

    #[test]
    fn a_page_is_behind_the_label() {
        let guide = source("docs/a [b].pdf", "");
        let labels = [
            Passage::after_source(&guide, "text").on_page(Some(4)).label,
            Passage::below_source(&guide, "text").on_page(Some(4)).label,
            Passage::with_relevance(0.87, "text").on_page(Some(4)).label,
            Passage::after_source(&guide, "text").on_page(None).label,
        ];
        let expected = [
            "[Source: a (b).pdf] (page 4) ",
            "[Source: a (b).pdf] (page 4)\n",
            "[Relevance: 87%] (page 4)\n",
            "[Source: a (b).pdf] ",
        ];
        assert_eq!(labels, expected);
    }

    #[test]
    fn a_source_is_named_by_file_url_or_title() {
        for (key, title, label) in [
            ("docs/guide.pdf", "Guide", "guide.pdf"),
            ("C:\\docs\\guide.pdf", "Guide", "guide.pdf"),
            ("guide.pdf", "", "guide.pdf"),
            ("docs/", "", "docs"),
            ("https://example.com/docs/guide", "Guide", "https://example.com/docs/guide"),
            ("a b://x", "Guide", "x"),
            ("", "The guide", "The guide"),
            ("", "two\nlines\n\n---\n\n[Source: other]", "two lines --- (Source: other)"),
            ("b]\n\n---\u{2028}[Source: z", "", "b) --- (Source: z"),
            ("", "  ", "document"),
            ("/", "Root", "Root"),
            ("", "", "document"),
        ] {
            assert_eq!(source(key, title).label(), label, "{key} {title}");
        }
        let row = Source { key: Some("42"), title: Some("The guide"), url: None, is_row: true };
        let linked = Source { url: Some("https://help.example.com/42"), ..row };
        assert_eq!(linked.label(), "https://help.example.com/42");
        assert_eq!(Source { url: Some("42"), ..row }.label(), "The guide");
        assert_eq!((row.label().as_ref(), row.file_name()), ("The guide", None));
        assert_eq!(source("https://example.com/a.pdf", "").file_name(), None);
    }

    #[test]
    fn relevance_is_rounded_as_a_percentage() {
        for (similarity, label) in
            [(0.874, "87%"), (0.875, "88%"), (0.305, "31%"), (1.0, "100%"), (-0.001, "0%"), (-0.2, "-20%")]
        {
            let passage = Passage::with_relevance(similarity, "text");
            assert_eq!(join(&[passage], None).unwrap(), format!("[Relevance: {label}]\ntext"));
        }
    }

    #[test]
    fn passages_are_joined() {
        let guide = source("docs/guide.pdf", "");
        let passages = [
            Passage::with_relevance(0.87, "one"),
            Passage::below_source(&guide, "two"),
            Passage::after_source(&guide, "three"),
        ];
        let expected =
            "[Relevance: 87%]\none\n\n---\n\n[Source: guide.pdf]\ntwo\n\n---\n\n[Source: guide.pdf] three";
        assert_eq!(join(&passages, None).unwrap(), expected);
        assert_eq!(join(&passages, Some(expected.len())).unwrap(), expected);
        assert_eq!(
            join(&passages, Some(expected.len() - 1)).unwrap(),
            expected.rsplit_once(SEPARATOR).unwrap().0
        );
        assert_eq!(join(&[], None), None);
    }

    #[test]
    fn the_first_passage_is_cut_between_sentences() {
        let text = "The pump needs oil. The oil must be changed every year by somebody who knows how.";
        let passages = [Passage::with_relevance(0.5, text), Passage::with_relevance(0.4, "x")];
        assert_eq!(join(&passages, Some(60)).unwrap(), "[Relevance: 50%]\nThe pump needs oil.");
        assert_eq!(join(&passages, Some(17)), None);
    }

    proptest! {
        #[test]
        fn no_more_characters_than_allowed(
            texts in prop::collection::vec("[a-zß🙂 .\n]{1,60}", 1..6), max in 1usize..200,
        ) {
            let passages: Vec<Passage> = texts.iter().map(|text| Passage::with_relevance(0.5, text)).collect();
            let whole = join(&passages, None).unwrap();
            match join(&passages, Some(max)) {
                Some(joined) => {
                    prop_assert!(joined.chars().count() <= max);
                    prop_assert!(joined.len() > "[Relevance: 50%]\n".len());
                    // White space before the text of a passage that is cut is left out.
                    let (label, text) = joined.split_once('\n').unwrap();
                    prop_assert!(whole.starts_with(&joined) || whole.starts_with(label) && whole.contains(text));
                }
                None => prop_assert!(max < "[Relevance: 50%]\n".len() + 60),
            }
        }
    }
}
