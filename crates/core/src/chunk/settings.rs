//! Settings that a caller may choose.

use std::fmt;

/// How boundaries are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// Paragraphs, sentences, lines and words of plain text.
    Text,
    /// The same within the blocks of a Markdown page. Sections are kept apart; fenced blocks and table rows
    /// that fit are kept whole.
    Markdown,
    /// Lines of a program, kept whole where they fit, with cuts before definitions and at blank lines.
    Code,
    /// Records of CSV, kept whole where they fit; with any of the delimiters `,`, `;`, tab and `|`.
    Csv,
    /// Plain text, which is also cut where its topic changes: at the breaks given to
    /// [`Chunker::topics`](super::Chunker::topics).
    Semantic,
    /// No cutting: one chunk of any length.
    None,
}

impl Strategy {
    /// All strategies, in the order of the documentation.
    pub const ALL: [Self; 6] =
        [Self::Text, Self::Markdown, Self::Code, Self::Csv, Self::Semantic, Self::None];

    /// The strategy called `name`, if it exists.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|strategy| strategy.name() == name)
    }

    /// Its name in SQL, such as `text`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Markdown => "markdown",
            Self::Code => "code",
            Self::Csv => "csv",
            Self::Semantic => "semantic",
            Self::None => "none",
        }
    }
}

/// Chunk size and overlap in characters (Unicode scalar values), and the strategy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    size: usize,
    overlap: usize,
    strategy: Strategy,
}

impl Settings {
    /// Checks `size >= 1` and `overlap < size`. [`Strategy::None`] uses neither, but both are still checked.
    ///
    /// # Errors
    /// [`SettingsError`] names the value that is out of range.
    pub fn new(size: usize, overlap: usize, strategy: Strategy) -> Result<Self, SettingsError> {
        if size == 0 {
            return Err(SettingsError::Size);
        }
        if overlap >= size {
            return Err(SettingsError::Overlap { size, overlap });
        }
        Ok(Self { size, overlap, strategy })
    }

    /// Most characters in a chunk.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Most characters shared with the chunk before.
    pub fn overlap(&self) -> usize {
        self.overlap
    }

    /// How boundaries are found.
    pub fn strategy(&self) -> Strategy {
        self.strategy
    }
}

/// A chunk size or overlap that is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingsError {
    /// The size is 0.
    Size,
    /// The overlap is not smaller than the size.
    Overlap {
        /// The size asked for.
        size: usize,
        /// The overlap asked for.
        overlap: usize,
    },
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size => write!(f, "chunk size must be at least 1"),
            Self::Overlap { size, overlap } => {
                write!(f, "chunk overlap {overlap} must be smaller than chunk size {size}")
            }
        }
    }
}

impl std::error::Error for SettingsError {}
