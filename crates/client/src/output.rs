//! Lines of output. A reader that has closed its end, such as `head`, is no failure.

use std::io::{Write, stderr, stdout};

/// Writes a line to standard output.
pub fn line(text: &str) {
    let _ = writeln!(stdout(), "{text}");
}

/// Writes a line to standard error.
pub fn error(text: &str) {
    let _ = writeln!(stderr(), "{text}");
}
