//! What a job is.

use crate::choice::Choice;

/// The action for the target of a job.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Make the vectors that a document lacks.
    Embed,
    /// Make the vectors of the pending model that a document lacks.
    Change,
    /// Bring documents in sync with rows of an attached table.
    Backfill,
    /// Build the IVFFlat index of a base, which is the target.
    Index,
    /// Find the pages of a source, which is the target.
    Source,
    /// Fetch a page.
    Fetch,
    /// Merge segments of the keyword index of a base, which is the target.
    Merge,
    /// Return space of the keyword index of a base, which is the target.
    Compact,
    /// Index what was written to a base, which is the target, while library and SQL had different formats.
    Repair,
    /// Bring the lexemes of chunks of a base, which is the target, into the format that its settings want.
    Lexemes,
    /// Make the abstract and the overview of a document.
    Summary,
}

impl Choice for Kind {
    const WHAT: &'static str = "job kind";
    const ALL: &'static [Kind] = &[
        Kind::Embed,
        Kind::Change,
        Kind::Backfill,
        Kind::Index,
        Kind::Source,
        Kind::Fetch,
        Kind::Merge,
        Kind::Compact,
        Kind::Repair,
        Kind::Lexemes,
        Kind::Summary,
    ];

    fn name(self) -> &'static str {
        match self {
            Kind::Embed => "embed",
            Kind::Change => "change",
            Kind::Backfill => "backfill",
            Kind::Index => "index",
            Kind::Source => "source",
            Kind::Fetch => "fetch",
            Kind::Merge => "merge",
            Kind::Compact => "compact",
            Kind::Repair => "repair",
            Kind::Lexemes => "lexemes",
            Kind::Summary => "summary",
        }
    }
}

impl Kind {
    /// Whether the target of its jobs is a document.
    pub(super) fn is_of_document(self) -> bool {
        matches!(self, Kind::Embed | Kind::Change | Kind::Summary)
    }
}
