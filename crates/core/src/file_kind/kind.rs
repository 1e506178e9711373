//! A row of the table.

/// What reads a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// The text of a PDF file, page by page.
    Pdf,
    /// A document of Word, as Markdown.
    Docx,
    /// The main content of an HTML page, as Markdown.
    Html,
    /// Markdown as it is, with its title.
    Markdown,
    /// The cells of a Jupyter notebook, as Markdown.
    Notebook,
    /// The text of subtitles, each sentence with its time.
    Subtitles,
    /// Any other text as it is.
    Text,
}

/// What the readers read, for messages.
pub const READABLE: &str = "PDF, HTML, DOCX, Markdown, notebooks, subtitles and other text";

impl Reader {
    /// All of them.
    pub const ALL: [Reader; 7] = [
        Reader::Pdf,
        Reader::Docx,
        Reader::Html,
        Reader::Markdown,
        Reader::Notebook,
        Reader::Subtitles,
        Reader::Text,
    ];

    /// Whether its files are bytes rather than text.
    pub fn reads_bytes(self) -> bool {
        matches!(self, Reader::Pdf | Reader::Docx)
    }
}

/// What follows from the kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handling {
    /// This reads it.
    Read(Reader),
    /// Plain text for people: read as it is, and documentation in a repository.
    Prose,
    /// Records of fields, such as CSV: read as it is, and divided into chunks between records.
    Records,
    /// A program or its settings: read as it is, and divided into chunks as code.
    Code,
    /// A document of bytes that nothing reads yet.
    Unread,
    /// Text that is not read as it is: with markup that nothing reads yet, or written by programs for programs.
    UnreadText,
    /// It holds no text.
    NoText,
}

/// Bytes at places of a file that belong together: all of them must be there.
pub type Mark = &'static [(usize, &'static [u8])];

/// A kind of file. Lists of words are separated by single spaces, and in lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// What it is called: with an article, such as "a PNG image", unless it is text; of code, its language.
    pub name: &'static str,
    /// What follows.
    pub handling: Handling,
    endings: &'static str,
    names: &'static str,
    types: &'static str,
    /// The first bytes of its files: one of these.
    pub marks: &'static [Mark],
}

impl Kind {
    /// A kind with these endings of names, without the dot.
    pub(super) const fn new(name: &'static str, handling: Handling, endings: &'static str) -> Kind {
        Kind { name, handling, endings, names: "", types: "", marks: &[] }
    }

    /// With these whole names.
    pub(super) const fn with_names(self, names: &'static str) -> Kind {
        Kind { names, ..self }
    }

    /// With these MIME types.
    pub(super) const fn with_types(self, types: &'static str) -> Kind {
        Kind { types, ..self }
    }

    /// With these first bytes.
    pub(super) const fn with_marks(self, marks: &'static [Mark]) -> Kind {
        Kind { marks, ..self }
    }

    /// The endings of names, without the dot.
    pub fn endings(&self) -> impl Iterator<Item = &'static str> {
        words(self.endings)
    }

    /// Whole names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        words(self.names)
    }

    /// MIME types.
    pub fn types(&self) -> impl Iterator<Item = &'static str> {
        words(self.types)
    }

    /// What reads it.
    ///
    /// # Errors
    /// What it is, for the message that it cannot be read.
    pub fn reader(&self) -> Result<Reader, &'static str> {
        match self.handling {
            Handling::Read(reader) => Ok(reader),
            Handling::Prose | Handling::Records | Handling::Code => Ok(Reader::Text),
            Handling::Unread | Handling::UnreadText | Handling::NoText => Err(self.name),
        }
    }

    /// Whether its files are text: a file whose bytes are text may be of this kind by its name.
    pub fn is_text(&self) -> bool {
        !matches!(self.handling, Handling::Unread | Handling::NoText)
    }

    /// Whether it is documentation in a repository: Markdown and prose.
    pub fn is_documentation(&self) -> bool {
        matches!(self.handling, Handling::Prose | Handling::Read(Reader::Markdown))
    }

    /// How many bytes of a mark the beginning of a file has; None if it has no whole mark.
    pub(super) fn marked(&self, bytes: &[u8]) -> Option<usize> {
        let has = |mark: &&Mark| {
            mark.iter().all(|(at, part)| bytes.get(*at..).is_some_and(|rest| rest.starts_with(part)))
        };
        let length = |mark: &Mark| mark.iter().map(|(_, part)| part.len()).sum();
        self.marks.iter().filter(has).map(length).max()
    }
}

fn words(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split(' ').filter(|word| !word.is_empty())
}
