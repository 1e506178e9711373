//! Files of this machine, below one directory, which others may have loaded: they are one source of a base.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::cli::{Connection, Index};
use crate::error::{Failure, Result};
use crate::index;
use crate::signals::Interrupts;

/// How long a call waits for another one that loads files, and the end of the program for one that was canceled.
const PATIENCE: Duration = Duration::from_secs(10);

/// The directory below which files may be loaded.
pub struct Root {
    /// Without symbolic links.
    path: PathBuf,
    connection: Connection,
    /// One call at a time: it holds files in memory, and has connections of its own.
    running: Mutex<()>,
}

/// A file or directory to load.
pub struct Part {
    /// From the root on, or absolute.
    pub path: String,
    pub base: String,
    pub glob: Vec<String>,
    /// By default, that of the name of the file.
    pub source_type: Option<String>,
    /// The role to load as, if it is not the one that connects.
    pub role: Option<String>,
}

/// The kind of file that a path must name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    File,
    Directory,
    Any,
}

/// Why nothing was loaded. The first three name the path as it was given.
#[derive(Debug)]
pub enum Trouble {
    /// It is not there, or outside of the root: one answer for both.
    Missing(String),
    IsDirectory(String),
    IsFile(String),
    /// Another call loads files.
    Busy,
    Failed(Failure),
}

impl Root {
    /// # Errors
    /// Status 2 if it is not a directory.
    pub fn new(root: &Path, connection: Connection) -> Result<Root> {
        let wrong =
            |why: &str| Failure::usage(format!("--root \"{}\" cannot be used: {why}", root.display()));
        let path = root.canonicalize().map_err(|error| wrong(&error.to_string()))?;
        if !path.is_dir() {
            return Err(wrong("it is not a directory"));
        }
        Ok(Root { path, connection, running: Mutex::default() })
    }

    /// Waits for the call that runs, which was canceled.
    pub async fn close(&self) {
        let _ = timeout(PATIENCE, self.running.lock()).await;
    }

    /// Loads a file or directory, until one of the tokens is canceled.
    pub async fn load(
        &self,
        part: Part,
        kind: Kind,
        cancel: [CancellationToken; 2],
    ) -> std::result::Result<index::Loaded, Trouble> {
        let Part { path, base, glob, source_type, role } = part;
        let root = self.path.clone();
        let found = tokio::task::spawn_blocking(move || find(&root, &path, kind)).await;
        let below = found.map_err(|error| Trouble::Failed(Failure::new(error.to_string())))??;
        let Ok(_running) = timeout(PATIENCE, self.running.lock()).await else { return Err(Trouble::Busy) };
        // One source for all that is loaded from here, on whatever machine: a file has one document.
        let name = format!("kb-rag: {}", self.path.display());
        let connection = Connection { role, ..self.connection.clone() };
        let index = Index::part(self.path.clone(), below, name, base, glob, source_type, connection);
        index::load(index, &mut Interrupts::Tokens(cancel)).await.map_err(Trouble::Failed)
    }
}

/// A file or directory below the root, as a path from there. Symbolic links that lead elsewhere are no way out.
fn find(root: &Path, given: &str, kind: Kind) -> std::result::Result<PathBuf, Trouble> {
    let missing = || Trouble::Missing(given.to_string());
    let path = root.join(given).canonicalize().map_err(|_| missing())?;
    let below = path.strip_prefix(root).map_err(|_| missing())?;
    match (path.is_dir(), kind) {
        (true, Kind::File) => Err(Trouble::IsDirectory(given.to_string())),
        (false, Kind::Directory) => Err(Trouble::IsFile(given.to_string())),
        _ => Ok(below.to_path_buf()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_no_way_out_of_the_root() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("root");
        std::fs::create_dir_all(root.join("a")).unwrap();
        std::fs::write(root.join("a/file.md"), "text").unwrap();
        std::fs::write(directory.path().join("secret.md"), "secret").unwrap();
        std::os::unix::fs::symlink(directory.path().join("secret.md"), root.join("link.md")).unwrap();
        std::os::unix::fs::symlink(root.join("a/file.md"), root.join("inner.md")).unwrap();
        let files = Root::new(&root, Connection { database: None, role: None }).unwrap();
        let absolute = root.canonicalize().unwrap().join("a/file.md");
        for (given, kind, below) in [
            ("a/file.md", Kind::File, "a/file.md"),
            ("a/../a/./file.md", Kind::File, "a/file.md"),
            ("inner.md", Kind::File, "a/file.md"),
            (absolute.to_str().unwrap(), Kind::File, "a/file.md"),
            (".", Kind::Directory, ""),
            ("a", Kind::Directory, "a"),
        ] {
            assert_eq!(find(&files.path, given, kind).unwrap(), Path::new(below), "{given}");
        }
        for given in ["../secret.md", "link.md", "/etc/passwd", "a/../../secret.md", "missing", ".."] {
            for kind in [Kind::File, Kind::Any] {
                assert!(
                    matches!(find(&files.path, given, kind), Err(Trouble::Missing(path)) if path == given)
                );
            }
        }
        assert!(matches!(find(&files.path, "a", Kind::File), Err(Trouble::IsDirectory(_))));
        assert!(matches!(find(&files.path, "a/file.md", Kind::Directory), Err(Trouble::IsFile(_))));
        assert!(
            find(&files.path, "a", Kind::Any).is_ok() && find(&files.path, "a/file.md", Kind::Any).is_ok()
        );
        assert!(Root::new(&root.join("a/file.md"), Connection { database: None, role: None }).is_err());
    }
}
