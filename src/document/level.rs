//! Levels of detail, and the first sentences that stand for a summary that nobody wrote.

use kb_rag_core::opening;

use crate::choice::Choice;

/// How much of a document is given as its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// A sentence or two.
    Abstract,
    /// A paragraph or two.
    Overview,
    /// The whole text.
    Content,
}

impl Level {
    /// The default level of a search.
    pub const OF_SEARCH: Level = Level::Overview;
    /// The same for reading a document.
    pub const OF_READ: Level = Level::Content;
}

impl Choice for Level {
    const WHAT: &'static str = "level";
    const ALL: &'static [Level] = &[Level::Abstract, Level::Overview, Level::Content];

    fn name(self) -> &'static str {
        match self {
            Level::Abstract => "abstract",
            Level::Overview => "overview",
            Level::Content => "content",
        }
    }
}

/// At most so many characters of a text stand for its abstract, and for its overview.
const ABSTRACT_CHARACTERS: usize = 300;
const OVERVIEW_CHARACTERS: usize = 1_200;

/// How many characters of a text to read for both.
pub const CHARACTERS_READ: usize = opening::characters_to_read(OVERVIEW_CHARACTERS);
/// The same for the abstract alone.
pub const CHARACTERS_READ_FOR_ABSTRACT: usize = opening::characters_to_read(ABSTRACT_CHARACTERS);

/// The columns of a document that hold summaries, and the beginning of its text.
pub struct Summaries {
    pub abstract_text: Option<String>,
    pub overview: Option<String>,
    /// The beginning of the text, or all of it.
    pub start: String,
    /// Whether there may be more of the text.
    pub is_part: bool,
}

impl Summaries {
    /// What the user wrote, else the first sentences. None if the beginning of the text does not tell them.
    pub fn abstract_text(&self) -> Option<String> {
        self.summary(self.abstract_text.as_deref(), ABSTRACT_CHARACTERS)
    }

    /// The same for the overview.
    pub fn overview(&self) -> Option<String> {
        self.summary(self.overview.as_deref(), OVERVIEW_CHARACTERS)
    }

    fn summary(&self, written: Option<&str>, size: usize) -> Option<String> {
        match written.filter(|text| !text.trim().is_empty()) {
            Some(text) => Some(text.to_string()),
            None => opening::first_sentences(&self.start, self.is_part, size).map(str::to_string),
        }
    }
}
