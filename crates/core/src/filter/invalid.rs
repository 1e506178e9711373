//! The reason for which a filter cannot be used.

/// The reason for which a filter cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The message.
    pub message: String,
    /// The hint, which names the fix.
    pub hint: String,
}

/// An error with this message and hint.
pub(super) fn invalid<T>(message: impl Into<String>, hint: impl Into<String>) -> Result<T, Invalid> {
    Err(Invalid { message: message.into(), hint: hint.into() })
}

/// The beginning of a text, for messages.
pub(super) fn shown(text: &str) -> String {
    const MAX: usize = 60;
    if text.chars().count() <= MAX {
        text.to_string()
    } else {
        text.chars().take(MAX).chain(['…']).collect()
    }
}
