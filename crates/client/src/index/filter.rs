//! --glob and --exclude.

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::error::{Failure, Result};

/// Which files the user wants. Paths are relative to the directory.
pub struct Filter {
    only: Option<Gitignore>,
    exclude: Gitignore,
}

impl Filter {
    /// # Errors
    /// Status 2 for a pattern that is wrong.
    pub fn new(only: &[String], exclude: &[String]) -> Result<Filter> {
        let only = if only.is_empty() { None } else { Some(patterns("--glob", only)?) };
        Ok(Filter { only, exclude: patterns("--exclude", exclude)? })
    }

    /// Whether a file passes.
    pub fn passes(&self, key: &str) -> bool {
        let matches = |patterns: &Gitignore| patterns.matched_path_or_any_parents(key, false).is_ignore();
        self.only.as_ref().is_none_or(matches) && !matches(&self.exclude)
    }

    /// Whether a directory may hold files that pass.
    pub fn enters(&self, path: &Path) -> bool {
        !self.exclude.matched(path, true).is_ignore()
    }
}

fn patterns(argument: &str, patterns: &[String]) -> Result<Gitignore> {
    let wrong = |pattern: &str, why: String| Failure::usage(format!("{argument} \"{pattern}\": {why}"));
    // Paths are given relative to this root.
    let mut builder = GitignoreBuilder::new("");
    for pattern in patterns {
        if pattern.trim().is_empty() || pattern.starts_with('#') {
            return Err(wrong(pattern, "it is no pattern".to_string()));
        }
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        builder.add_line(None, pattern).map_err(|error| wrong(pattern, error.to_string()))?;
    }
    builder.build().map_err(|error| Failure::usage(format!("{argument}: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(only: &[&str], exclude: &[&str]) -> Filter {
        let owned = |list: &[&str]| list.iter().map(|p| p.to_string()).collect::<Vec<_>>();
        Filter::new(&owned(only), &owned(exclude)).unwrap()
    }

    #[test]
    fn patterns_are_those_of_gitignore() {
        for (only, exclude, key, passes) in [
            (&[][..], &[][..], "a/b.md", true),
            (&["*.md"], &[], "a/b.md", true),
            (&["*.md"], &[], "a/b.txt", false),
            (&["*.md", "*.txt"], &[], "a/b.txt", true),
            (&["/*.md"], &[], "a/b.md", false),
            (&["./b.md"], &[], "b.md", true),
            (&["docs/"], &[], "x/docs/a/b", true),
            (&["docs/**/*.md"], &[], "docs/a/b.md", true),
            (&["docs/*.md"], &[], "docs/a/b.md", false),
            (&["*.md"], &["drafts/"], "a/drafts/b.md", false),
            (&[], &["*.md", "!README.md"], "README.md", true),
            (&[], &["*.md", "!README.md"], "a.md", false),
            (&["*.{md,txt}"], &[], "a.txt", true),
        ] {
            assert_eq!(filter(only, exclude).passes(key), passes, "{only:?} {exclude:?} {key}");
        }
        assert!(!filter(&[], &["drafts/"]).enters(Path::new("a/drafts")));
        assert!(filter(&["*.md"], &["*.txt"]).enters(Path::new("a")));
    }

    #[test]
    fn wrong_patterns_are_refused() {
        for pattern in ["", " ", "# x", "a{b"] {
            let failure = Filter::new(&[pattern.to_string()], &[]).err().unwrap();
            assert_eq!(failure.status, 2, "{pattern}");
        }
    }
}
