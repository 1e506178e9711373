//! `index_file` and `index_directory`: files of this machine, below one directory, which are one source of a base.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};
use tokio::sync::Mutex;
use tokio::time::timeout;

use super::call::{Caller, failed, told};
use super::server::Shared;
use super::tools::Named;
use crate::cli::{Connection, Index};
use crate::error::{Failure, Result};
use crate::index;
use crate::output;
use crate::signals::Interrupts;

/// How long a call waits for another one that loads files, and the end of the program for one that was cancelled.
const PATIENCE: Duration = Duration::from_secs(10);
/// The most patterns of a call, and their bytes.
const MOST_PATTERNS: usize = 100;
const MOST_PATTERN_BYTES: usize = 1_000;

/// The directory below which files may be loaded.
pub struct Files {
    /// Without symbolic links.
    root: PathBuf,
    connection: Connection,
    /// One call at a time: it holds files in memory, and has connections of its own.
    running: Mutex<()>,
}

impl Files {
    /// # Errors
    /// Status 2 if it is not a directory.
    pub fn new(root: &Path, connection: Connection) -> Result<Files> {
        let wrong =
            |why: &str| Failure::usage(format!("--root \"{}\" cannot be used: {why}", root.display()));
        let path = root.canonicalize().map_err(|error| wrong(&error.to_string()))?;
        if !path.is_dir() {
            return Err(wrong("it is not a directory"));
        }
        Ok(Files { root: path, connection, running: Mutex::default() })
    }

    /// Waits for the call that runs, which was cancelled.
    pub async fn close(&self) {
        let _ = timeout(PATIENCE, self.running.lock()).await;
    }

    /// Loads what the arguments of a tool name.
    pub async fn load(
        &self,
        shared: &Shared,
        caller: &Caller<'_>,
        tool: Named<'_>,
        arguments: &Value,
    ) -> CallToolResult {
        let is_directory = tool == Named::IndexDirectory;
        let result = match Arguments::read(arguments, is_directory) {
            Ok(arguments) => self.part(shared, caller, is_directory, arguments).await,
            Err(mistake) => Err(mistake),
        };
        match result {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Err(text) => failed(text),
        }
    }

    async fn part(
        &self,
        shared: &Shared,
        caller: &Caller<'_>,
        is_directory: bool,
        arguments: Arguments,
    ) -> std::result::Result<String, String> {
        let Arguments { path, knowledge_base, glob } = arguments;
        let root = self.root.clone();
        let found = tokio::task::spawn_blocking(move || find(&root, &path, is_directory)).await;
        let below = found.map_err(|error| error.to_string())??;
        let Ok(_running) = timeout(PATIENCE, self.running.lock()).await else {
            return Err("other files are being loaded; try again when that is done".to_string());
        };
        // One source for all that is loaded from here, on whatever machine: a file has one document.
        let name = format!("kb-rag mcp: {}", self.root.display());
        let base = knowledge_base.clone();
        let index =
            Index::part(self.root.clone(), below, name, knowledge_base, glob, self.connection.clone());
        let mut interrupts = Interrupts::Tokens([caller.cancel.clone(), shared.database.closing()]);
        match index::load(index, &mut interrupts).await {
            Ok(loaded) => told_of(&base, is_directory, &loaded),
            Err(failure) if failure.is_public => Err(told(&failure)),
            Err(failure) => {
                output::error(&format!("error: {failure}"));
                Err("the files could not be loaded; the log of kb-rag says why".to_string())
            }
        }
    }
}

/// What was loaded; an error where anything failed.
fn told_of(base: &str, is_directory: bool, loaded: &index::Loaded) -> std::result::Result<String, String> {
    let failed: String = loaded.failed.iter().map(|failure| format!("\nfailed: {failure}")).collect();
    let skipped = match loaded.skipped.join(", ") {
        reasons if reasons.is_empty() => reasons,
        reasons => format!("\nskipped: {reasons}"),
    };
    let end = if loaded.is_whole { "" } else { "; interrupted" };
    let text = format!("{base}: {}{end}{skipped}{failed}", loaded.sum);
    let is_good = loaded.is_whole && failed.is_empty() && (is_directory || skipped.is_empty());
    if is_good { Ok(text) } else { Err(text) }
}

/// A file or directory below the root, as a path from there. Symbolic links that lead elsewhere are no way out.
fn find(root: &Path, given: &str, is_directory: bool) -> std::result::Result<PathBuf, String> {
    // One answer for what is not there and for what is outside.
    let missing = || format!("there is no \"{given}\" below the root directory");
    let path = root.join(given).canonicalize().map_err(|_| missing())?;
    let below = path.strip_prefix(root).map_err(|_| missing())?;
    match (path.is_dir(), is_directory) {
        (true, false) => Err(format!("\"{given}\" is a directory; index_directory loads it")),
        (false, true) => Err(format!("\"{given}\" is not a directory; index_file loads a file")),
        _ => Ok(below.to_path_buf()),
    }
}

/// The arguments of both tools.
struct Arguments {
    path: String,
    knowledge_base: String,
    glob: Vec<String>,
}

impl Arguments {
    fn read(given: &Value, with_glob: bool) -> std::result::Result<Arguments, String> {
        let empty = Map::new();
        let given = given.as_object().unwrap_or(&empty);
        let known: &[&str] =
            if with_glob { &["path", "knowledge_base", "glob"] } else { &["path", "knowledge_base"] };
        if let Some(unknown) = given.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(format!("unknown argument \"{unknown}\"; known are {}", known.join(", ")));
        }
        let text = |name: &str| match given.get(name).and_then(Value::as_str) {
            Some(text) if !text.is_empty() && !text.contains('\0') => Ok(text.to_string()),
            _ => Err(format!("argument \"{name}\" must be a string that is not empty")),
        };
        let glob: Vec<String> = match given.get("glob") {
            None | Some(Value::Null) => Vec::new(),
            Some(patterns) => serde_json::from_value(patterns.clone()).map_err(|_| {
                format!("argument \"glob\" must be a list of patterns, such as {}", json!(["*.md"]))
            })?,
        };
        if glob.len() > MOST_PATTERNS || glob.iter().any(|pattern| pattern.len() > MOST_PATTERN_BYTES) {
            return Err(format!(
                "argument \"glob\" has at most {MOST_PATTERNS} patterns of {MOST_PATTERN_BYTES} bytes"
            ));
        }
        Ok(Arguments { path: text("path")?, knowledge_base: text("knowledge_base")?, glob })
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
        let files = Files::new(&root, Connection { database: None }).unwrap();
        let absolute = root.canonicalize().unwrap().join("a/file.md");
        for (given, is_directory, below) in [
            ("a/file.md", false, "a/file.md"),
            ("a/../a/./file.md", false, "a/file.md"),
            ("inner.md", false, "a/file.md"),
            (absolute.to_str().unwrap(), false, "a/file.md"),
            (".", true, ""),
            ("a", true, "a"),
        ] {
            assert_eq!(find(&files.root, given, is_directory).unwrap(), Path::new(below), "{given}");
        }
        for given in ["../secret.md", "link.md", "/etc/passwd", "a/../../secret.md", "missing", ".."] {
            let error = find(&files.root, given, false).unwrap_err();
            assert_eq!(error, format!("there is no \"{given}\" below the root directory"));
        }
        assert!(find(&files.root, "a", false).unwrap_err().contains("index_directory"));
        assert!(find(&files.root, "a/file.md", true).unwrap_err().contains("index_file"));
        assert!(Files::new(&root.join("a/file.md"), Connection { database: None }).is_err());
    }

    #[test]
    fn mistakes_in_arguments_are_named() {
        let mistake = |given: Value, with_glob| Arguments::read(&given, with_glob).err().unwrap();
        assert!(mistake(json!({"path": "a"}), false).contains("knowledge_base"));
        assert!(
            mistake(json!({"path": "a", "knowledge_base": "b", "glob": []}), false)
                .contains("unknown argument \"glob\"")
        );
        assert!(
            mistake(json!({"path": "a", "knowledge_base": "b", "glob": "x"}), true)
                .contains("list of patterns")
        );
        assert!(mistake(json!({"path": "", "knowledge_base": "b"}), true).contains("path"));
        let read =
            Arguments::read(&json!({"path": "a", "knowledge_base": "b", "glob": ["*.md"]}), true).unwrap();
        assert_eq!(read.glob, ["*.md"]);
    }
}
