//! Which files of a repository are documentation.

use kb_rag_core::file_kind::by_name;

/// Directories with the work of others.
const FOREIGN: [&str; 2] = ["node_modules", "vendor"];

/// The longest path, in bytes.
const MAX_PATH_BYTES: usize = 4096;

/// The path in the repository of an entry of its archive, which has one more directory around it. None if it is no path that a
/// repository can have.
pub(super) fn in_repository(name: &[u8]) -> Option<&str> {
    let name = name.split(|b| *b == 0).next().filter(|name| name.len() <= MAX_PATH_BYTES)?;
    let (_, path) = std::str::from_utf8(name).ok()?.split_once('/')?;
    let is_name = |step: &str| !matches!(step, "" | "." | "..") && !step.contains(char::is_control);
    path.split('/').all(is_name).then_some(path)
}

/// Whether a file is documentation below a directory, or is that file. Its directories count below that directory only.
pub(super) fn is_wanted(path: &str, below: Option<&str>) -> bool {
    let below = below.unwrap_or_default().trim_matches('/');
    let rest = match path.strip_prefix(below) {
        Some(rest) if below.is_empty() => rest,
        Some("") => path.rsplit('/').next().unwrap_or_default(),
        Some(rest) if rest.starts_with('/') => &rest[1..],
        _ => return false,
    };
    let mut steps = rest.rsplit('/');
    let is_text = steps.next().and_then(by_name).is_some_and(|kind| kind.is_documentation());
    is_text && steps.all(|step| !step.starts_with('.') && !FOREIGN.contains(&step))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn finds_paths() {
        for (name, expected) in [
            ("a-b-123/README.md", Some("README.md")),
            ("a-b-123/docs/x y/\u{fc}.md\0", Some("docs/x y/\u{fc}.md")),
            ("a-b-123/", None),
            ("a-b-123", None),
            ("a/../b.md", None),
            ("a/./b.md", None),
            ("a//b.md", None),
            ("a/b\n.md", None),
            ("", None),
        ] {
            assert_eq!(in_repository(name.as_bytes()), expected, "{name}");
        }
        assert_eq!(in_repository(b"a/\xff.md"), None);
        assert_eq!(in_repository(format!("a/{}.md", "b".repeat(5000)).as_bytes()), None);
    }

    #[test]
    fn knows_documentation() {
        for (path, below, expected) in [
            ("README.md", None, true),
            ("README", None, true),
            ("License", None, true),
            ("COPYING", None, false),
            ("a/b/c.RST", None, true),
            ("a.md/b.rs", None, false),
            ("Makefile", None, false),
            ("CMakeLists.txt", None, false),
            ("a/page.html", None, false),
            (".md", None, false),
            (".github/a.md", None, false),
            ("a/node_modules/b/README.md", None, false),
            ("vendor/b/README.md", None, false),
            ("docs/a.md", Some("docs"), true),
            ("docs/a.md", Some("/docs/"), true),
            ("docs/a.md", Some(""), true),
            ("docs/a.md", Some("docs/a.md"), true),
            ("docs/a.rs", Some("docs/a.rs"), false),
            ("docs2/a.md", Some("docs"), false),
            ("docs.md", Some("docs"), false),
            ("a.md", Some("docs"), false),
            ("x/docs/a.md", Some("docs"), false),
            (".github/docs/a.md", Some(".github"), true),
            (".github/.docs/a.md", Some(".github"), false),
        ] {
            assert_eq!(is_wanted(path, below), expected, "{path} below {below:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Nothing outside of the directory is wanted.
        #[test]
        fn stays_below(name in "[a-c./]{0,12}(md|/README)?", below in "[a-c./]{0,4}") {
            if let Some(path) = in_repository(name.as_bytes()) && is_wanted(path, Some(&below)) {
                let below = below.trim_matches('/');
                let inside = below.is_empty() || path == below || path.starts_with(&format!("{below}/"));
                let leaves = path.split('/').any(|step| matches!(step, "" | "." | ".."));
                prop_assert!(inside && !leaves);
            }
        }
    }
}
