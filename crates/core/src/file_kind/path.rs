//! Texts that are the path of a file.

use super::by_name;
use super::kind::Handling;

/// A longer text is no path, in bytes: Linux has none.
const MAX_PATH: usize = 4_096;

/// The path of a file that a text is, and nothing else: from a root or a home directory, or a single name with an ending of
/// files that have text.
pub fn is_path(text: &str) -> bool {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_PATH || text.contains(|c: char| c.is_control()) {
        return false;
    }
    let has_kind = by_name(text).is_some();
    let rooted = ["/", "~/", "./", "../", "file:///", "\\\\"].iter().find_map(|root| text.strip_prefix(root));
    let Some(rest) = rooted.or_else(|| after_drive(text)) else {
        let has_text = by_name(text).is_some_and(|kind| kind.handling != Handling::NoText);
        return has_text
            && !text.contains(char::is_whitespace)
            && text.contains('.')
            && !text.contains("://");
    };
    if rest.starts_with(['/', '*']) {
        return false;
    }
    // Without an ending that is known, it has directories.
    has_kind || (rest.contains(['/', '\\']) && !rest.contains(char::is_whitespace))
}

/// What follows the letter of a drive.
fn after_drive(text: &str) -> Option<&str> {
    let (drive, rest) = text.split_at_checked(1)?;
    let is_letter = drive.starts_with(|c: char| c.is_ascii_alphabetic());
    rest.strip_prefix(":\\").or_else(|| rest.strip_prefix(":/")).filter(|_| is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        for text in [
            "/home/ann/refunds.pdf",
            " /home/ann/My files/refunds 2.docx\n",
            "~/notes.md",
            "./a.txt",
            "../a/b.html",
            "C:\\Users\\ann\\refunds.pdf",
            "d:/refunds.pdf",
            "\\\\server\\share\\a.docx",
            "file:///tmp/a.pdf",
            "/etc/passwd",
            "/usr/share/doc/README",
            "docs/refunds.pdf",
            "refunds.pdf",
            "src/main.rs",
        ] {
            assert!(is_path(text), "{text}");
        }
    }

    #[test]
    fn texts() {
        for text in [
            "",
            "/",
            "/help",
            "/* a comment */",
            "// a comment.c",
            "and/or",
            "Read refunds.pdf first.",
            "I keep it in /home/ann/refunds.pdf",
            "/home/ann/a.txt\n/home/ann/b.txt",
            "https://example.com/a.pdf",
            "example.com",
            "logo.png",
            "refunds",
            "e.g.",
            "makefile",
            "/deploy the service to all/regions",
            "C: is a drive",
        ] {
            assert!(!is_path(text), "{text}");
        }
        assert!(!is_path(&format!("/{}.pdf", "a".repeat(MAX_PATH))));
    }
}
