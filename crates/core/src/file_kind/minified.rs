//! Scripts and style sheets that a program packed for browsers: nobody reads them.

use super::kind::Kind;

/// The languages that are packed.
const PACKED: [&str; 5] = ["CSS", "JavaScript", "Less", "Sass", "TypeScript"];

/// A smaller file is never taken for packed, in bytes.
const MIN_BYTES: usize = 2_000;

/// Nobody writes lines like this, in bytes.
const LONG_LINE: usize = 1_000;

/// Whether a text of a kind is packed: most of it is in lines of enormous length with hardly a space.
pub(super) fn is_minified(kind: &Kind, bytes: &[u8]) -> bool {
    if !PACKED.contains(&kind.name) || bytes.len() < MIN_BYTES {
        return false;
    }
    let long = || bytes.split(|byte| *byte == b'\n').filter(|line| line.len() >= LONG_LINE);
    let total: usize = long().map(<[u8]>::len).sum();
    let spaces = long().flatten().filter(|byte| byte.is_ascii_whitespace()).count();
    total * 2 > bytes.len() && spaces * 10 < total
}
