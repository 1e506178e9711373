//! What ends the program early, and how it is shown.

use std::fmt;

use tokio_postgres::error::{DbError, Severity, SqlState};

/// The exit status where a file failed, or the whole run.
pub const FAILED: u8 = 1;
/// The exit status of a wrong argument.
pub const USAGE: u8 = 2;

pub type Result<T> = std::result::Result<T, Failure>;

/// A failure as the user sees it. Contains no password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// One line, lower case, without a full stop.
    pub message: String,
    /// More about the cause, from the server.
    pub detail: Option<String>,
    /// What can be done about it.
    pub hint: Option<String>,
    /// The exit status, if the program ends with it.
    pub status: u8,
    /// The SQLSTATE, if the server gave it.
    pub code: Option<SqlState>,
    /// Whether it names no address, role or path, so that a model may read it.
    pub is_public: bool,
}

impl Failure {
    pub fn new(message: impl Into<String>) -> Failure {
        Failure {
            message: message.into(),
            detail: None,
            hint: None,
            status: FAILED,
            code: None,
            is_public: false,
        }
    }

    /// A wrong argument.
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure { status: USAGE, ..Failure::new(message) }
    }

    /// For a model too.
    pub fn public(self) -> Failure {
        Failure { is_public: true, ..self }
    }

    /// In one line, for people and models who do not sit at the terminal.
    pub fn sentence(&self) -> String {
        match &self.hint {
            Some(hint) => format!("{} ({hint})", self.message),
            None => self.message.clone(),
        }
    }

    pub fn hint(self, hint: impl Into<String>) -> Failure {
        Failure { hint: Some(hint.into()), ..self }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown(&self.message))?;
        for (name, text) in [("detail", &self.detail), ("hint", &self.hint)] {
            if let Some(text) = text {
                write!(f, "\n  {name}: {}", shown(text))?;
            }
        }
        Ok(())
    }
}

impl From<&DbError> for Failure {
    fn from(error: &DbError) -> Failure {
        Failure {
            message: error.message().to_string(),
            detail: error.detail().map(str::to_string),
            hint: error.hint().map(str::to_string),
            status: FAILED,
            code: Some(error.code().clone()),
            is_public: true,
        }
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Failure {
        match error.as_db_error() {
            Some(db) => Failure::from(db),
            None if is_lost(&error) => {
                Failure::new(format!("the connection to the server is lost: {}", with_causes(&error)))
            }
            None => Failure::new(with_causes(&error)),
        }
    }
}

/// Whether the connection cannot be used any more.
pub fn is_lost(error: &tokio_postgres::Error) -> bool {
    if error.is_closed() {
        return true;
    }
    match error.as_db_error() {
        // Code of users can raise any SQLSTATE, but not this severity.
        Some(error) => matches!(error.parsed_severity(), Some(Severity::Fatal | Severity::Panic)),
        None => std::error::Error::source(error).is_some_and(|cause| cause.is::<std::io::Error>()),
    }
}

/// A message of the driver with those of its causes, which its own text may leave out.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        cause = error.source();
    }
    text
}

/// A text for a terminal: control characters are written as escapes, since names of files and messages may contain any.
pub fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => shown.push_str("\\n"),
            c if c.is_control() => shown.extend(c.escape_default()),
            c => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(shown("a\u{1b}[2Jb\nc\u{9b}é \"q\""), "a\\u{1b}[2Jb\\nc\\u{9b}é \"q\"");
    }

    #[test]
    fn a_failure_shows_detail_and_hint() {
        let failure = Failure { detail: Some("D".into()), ..Failure::new("m").hint("H") };
        assert_eq!(failure.to_string(), "m\n  detail: D\n  hint: H");
    }
}
