//! The password file of libpq, ~/.pgpass: <https://www.postgresql.org/docs/current/libpq-pgpass.html>.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::output;

/// The password of a file for a connection; `host` is `localhost` for a socket in a standard directory. None if the file is
/// missing, open to others or without a line for it.
pub fn password(path: &Path, host: &str, port: &str, database: &str, user: &str) -> Option<String> {
    let about = fs::metadata(path).ok()?;
    if !about.is_file() {
        return None;
    }
    if about.permissions().mode() & 0o077 != 0 {
        output::error(&format!(
            "warning: password file \"{}\" has group or world access, so it is not used; permissions should be u=rw (0600) or less",
            path.display()
        ));
        return None;
    }
    find(&fs::read_to_string(path).ok()?, &[host, port, database, user])
}

/// The password of the first line whose fields match `wanted`: host, port, database, user.
fn find(text: &str, wanted: &[&str; 4]) -> Option<String> {
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let mut rest = line.trim_end_matches('\r');
        for value in wanted {
            let (field, after) = field(rest)?;
            if field != "*" && unescaped(field) != **value {
                return None;
            }
            rest = after;
        }
        Some(unescaped(rest))
    })
}

/// The text before the first colon that no backslash precedes, and that after it.
fn field(text: &str) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            '\\' if !escaped => escaped = true,
            ':' if !escaped => return Some((&text[..at], &text[at + 1..])),
            _ => escaped = false,
        }
    }
    None
}

fn unescaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        result.push(if c == '\\' { chars.next().unwrap_or(c) } else { c });
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "# a comment\n\
        db:5432:app:ann:one\n\
        db:*:app:bob:t\\:w\\\\o\n\
        broken\n\
        a\\:b:*:*:*:three\n\
        *:*:*:ann:four\n";

    #[test]
    fn the_first_line_that_matches_counts() {
        for (wanted, password) in [
            (["db", "5432", "app", "ann"], Some("one")),
            (["db", "5433", "app", "ann"], Some("four")),
            (["db", "1", "app", "bob"], Some("t:w\\o")),
            (["a:b", "1", "x", "y"], Some("three")),
            (["db", "5432", "app", "eve"], None),
        ] {
            assert_eq!(find(FILE, &wanted).as_deref(), password, "{wanted:?}");
        }
    }

    #[test]
    fn a_file_that_others_can_read_is_not_used() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pgpass");
        fs::write(&path, "*:*:*:*:secret\n").unwrap();
        for (mode, found) in [(0o600, Some("secret".to_string())), (0o640, None)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(password(&path, "h", "1", "d", "u"), found);
        }
        assert_eq!(password(&directory.path().join("none"), "h", "1", "d", "u"), None);
    }
}
