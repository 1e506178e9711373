//! The files of a directory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::{DirEntry, WalkBuilder};

use super::filter::Filter;

/// A file to load.
#[derive(Debug, PartialEq, Eq)]
pub struct Found {
    /// The path below the directory, with `/`: the source_key of its document.
    pub key: String,
    /// Where it is.
    pub path: PathBuf,
}

/// What a walk found. Both lists are sorted by path.
#[derive(Debug, Default)]
pub struct Files {
    /// Files to load.
    pub found: Vec<Found>,
    /// Files that are left out, with the reason.
    pub skipped: Vec<(String, String)>,
    /// What could not be read, with the reason.
    pub failed: Vec<(String, String)>,
}

/// Walks a directory, which is given as an absolute path. Heeds .gitignore and .ignore, also outside of a git repository;
/// those above the directory only within its repository. Follows no symbolic link.
/// `below`: only this file or directory, a path below the directory.
pub fn walk(directory: &Path, below: Option<&Path>, filter: Arc<Filter>) -> Files {
    let mut files = Files::default();
    let root = directory.to_path_buf();
    let entering = Arc::clone(&filter);
    let is_in_repository = directory.ancestors().any(|above| above.join(".git").exists());
    let start = below.map_or_else(|| root.clone(), |below| root.join(below));
    let walk = WalkBuilder::new(start)
        .require_git(is_in_repository)
        .git_global(false)
        .parents(is_in_repository || below.is_some())
        .follow_links(false)
        .sort_by_file_name(std::ffi::OsStr::cmp)
        .filter_entry(move |entry| {
            let below = entry.path().strip_prefix(&root).unwrap_or(entry.path());
            entry.depth() == 0
                || !entry.file_type().is_some_and(|kind| kind.is_dir())
                || entering.enters(below)
        })
        .build();
    for entry in walk {
        match entry {
            Ok(entry) => files.add(directory, &filter, entry),
            Err(error) => {
                let path = path_of(&error).map_or_else(|| ".".to_string(), |path| lossy(directory, path));
                files.failed.push((path, reason(&error)));
            }
        }
    }
    files
}

impl Files {
    fn add(&mut self, directory: &Path, filter: &Filter, entry: DirEntry) {
        let Some(kind) = entry.file_type() else { return };
        if kind.is_dir() {
            return;
        }
        // A file of ignore rules that is wrong in part.
        if let Some(error) = entry.error() {
            self.failed.push((lossy(directory, entry.path()), reason(error)));
        }
        let below = entry.path().strip_prefix(directory).unwrap_or(entry.path());
        let Some(key) = below.to_str() else {
            let key = lossy(directory, entry.path());
            // The patterns see it as it is shown.
            if filter.passes(&key) {
                self.failed.push((key, "the name of the file is not UTF-8: rename it".to_string()));
            }
            return;
        };
        if !filter.passes(key) {
            return;
        }
        let key = key.to_string();
        if kind.is_symlink() {
            self.skipped.push((key, "symbolic link".to_string()));
        } else if !kind.is_file() {
            self.skipped.push((key, "not a regular file".to_string()));
        } else {
            self.found.push(Found { key, path: entry.into_path() });
        }
    }
}

/// A path below the directory, for messages.
fn lossy(directory: &Path, path: &Path) -> String {
    let below = path.strip_prefix(directory).unwrap_or(path).to_string_lossy();
    if below.is_empty() { ".".to_string() } else { below.into_owned() }
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        _ => None,
    }
}

/// The error without the path, which is shown already.
fn reason(error: &ignore::Error) -> String {
    match error {
        ignore::Error::WithPath { err, .. } | ignore::Error::WithDepth { err, .. } => reason(err),
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        directory
    }

    fn found(directory: &Path, only: &[&str], exclude: &[&str]) -> Vec<String> {
        let owned = |list: &[&str]| list.iter().map(|p| p.to_string()).collect::<Vec<_>>();
        let filter = Filter::new(&owned(only), &owned(exclude)).unwrap();
        walk(directory, None, Arc::new(filter)).found.into_iter().map(|file| file.key).collect()
    }

    #[test]
    fn rules_to_ignore_hold_outside_of_a_repository() {
        let tree = tree(&[
            (".gitignore", "*.log\n/build/\n"),
            (".ignore", "secret.md\n"),
            (".hidden.md", "x"),
            (".git/info/exclude", ""),
            ("a.md", "x"),
            ("a.log", "x"),
            ("build/b.md", "x"),
            ("sub/build/b.md", "x"),
            ("sub/.gitignore", "!kept.log\n"),
            ("sub/kept.log", "x"),
            ("sub/secret.md", "x"),
        ]);
        assert_eq!(found(tree.path(), &[], &[]), ["a.md", "sub/build/b.md", "sub/kept.log"]);
        // Patterns do not bring back what is ignored.
        assert_eq!(found(tree.path(), &["*.log"], &[]), ["sub/kept.log"]);
        assert_eq!(found(tree.path(), &[], &["sub/"]), ["a.md"]);
        fs::remove_dir_all(tree.path().join(".git")).unwrap();
        assert_eq!(found(tree.path(), &[], &[]), ["a.md", "sub/build/b.md", "sub/kept.log"]);
    }

    #[test]
    fn rules_above_the_directory_hold_within_its_repository_only() {
        let tree = tree(&[
            (".gitignore", "*\n"),
            ("repo/.gitignore", "*.log\n"),
            ("repo/docs/a.md", "x"),
            ("repo/docs/a.log", "x"),
        ]);
        let docs = tree.path().join("repo/docs");
        assert_eq!(found(&docs, &[], &[]), ["a.log", "a.md"]);
        fs::create_dir(tree.path().join("repo/.git")).unwrap();
        assert_eq!(found(&docs, &[], &[]), ["a.md"]);
    }

    #[test]
    fn links_are_skipped_and_what_has_no_name_fails() {
        let tree = tree(&[("a b'\"c.md", "x"), ("é\n.txt", "x")]);
        let odd = tree.path().join(std::ffi::OsStr::from_bytes(b"bad\xff.md"));
        fs::write(&odd, "x").unwrap();
        std::os::unix::fs::symlink("/etc", tree.path().join("link")).unwrap();
        let files = walk(tree.path(), None, Arc::new(Filter::new(&[], &[]).unwrap()));
        let keys: Vec<&str> = files.found.iter().map(|file| file.key.as_str()).collect();
        assert_eq!(keys, ["a b'\"c.md", "é\n.txt"]);
        let skipped: Vec<_> = files.skipped.iter().map(|(key, why)| format!("{key}: {why}")).collect();
        assert_eq!(skipped, ["link: symbolic link"]);
        assert_eq!(files.failed.len(), 1);
        assert!(files.failed[0].0.starts_with("bad"), "{:?}", files.failed);
    }
}
