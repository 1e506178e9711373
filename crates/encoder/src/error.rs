//! The one error type of this crate: what is wrong, and with which file.

use std::fmt;
use std::path::{Path, PathBuf};

/// What sort of failure an [`Error`] reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A file of the model does not exist.
    Missing,
    /// A file exists, but the operating system did not allow reading it.
    Unreadable,
    /// The contents of a file are invalid or contradict another file of the model.
    Invalid,
    /// The files are valid, but require something that this encoder does not support.
    Unsupported,
    /// The result of the forward pass is zero or not finite: the weights are damaged.
    Numeric,
}

/// Why a model could not be opened or a text could not be encoded.
///
/// Its display form is one lower case line without a full stop: the file at fault, a colon, the reason.
#[derive(Clone, Debug)]
pub struct Error {
    kind: ErrorKind,
    file: PathBuf,
    reason: String,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, file: &Path, reason: impl Into<String>) -> Self {
        Error { kind, file: file.to_owned(), reason: reason.into() }
    }

    pub(crate) fn invalid(file: &Path, reason: impl Into<String>) -> Self {
        Error::new(ErrorKind::Invalid, file, reason)
    }

    pub(crate) fn unsupported(file: &Path, reason: impl Into<String>) -> Self {
        Error::new(ErrorKind::Unsupported, file, reason)
    }

    pub(crate) fn io(file: &Path, error: &std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::NotFound {
            Error::new(ErrorKind::Missing, file, "no such file")
        } else {
            Error::new(ErrorKind::Unreadable, file, error.to_string())
        }
    }

    /// What sort of failure this is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file.display(), self.reason)
    }
}

impl std::error::Error for Error {}
