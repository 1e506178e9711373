//! `index_file` and `index_directory`: files of this machine, below one directory.

use std::path::{Path, PathBuf};

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};
use tokio::sync::Mutex;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::call::{Caller, failed, told};
use super::database::Refused;
use super::server::Shared;
use super::tools::Named;
use crate::cli::{Connection, Index, STANDARD_MAX_BYTES};
use crate::error::{Failure, Result};
use crate::index::{self, Reading};
use crate::signals::Interrupts;

const ADD: &str =
    "SELECT {extension}.kb_add_file(knowledge_base => $1, file => $2, filename => $3, source_key => $4)";

/// The directory below which files may be loaded.
pub struct Files {
    /// Without symbolic links.
    root: PathBuf,
    connection: Connection,
    /// One directory at a time: it uses connections of its own.
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

    /// Loads what the arguments of a tool name.
    pub async fn load(
        &self,
        shared: &Shared,
        caller: &Caller<'_>,
        tool: Named<'_>,
        arguments: &Value,
    ) -> CallToolResult {
        let result = match Arguments::read(arguments, tool == Named::IndexDirectory) {
            Ok(arguments) if tool == Named::IndexDirectory => self.directory(caller, arguments).await,
            Ok(arguments) => self.file(shared, caller, &arguments).await,
            Err(mistake) => Err(mistake),
        };
        match result {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Err(text) => failed(text),
        }
    }

    async fn file(
        &self,
        shared: &Shared,
        caller: &Caller<'_>,
        arguments: &Arguments,
    ) -> std::result::Result<String, String> {
        let (path, key) = self.find(&arguments.path)?;
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let (read_key, limit) = (key.clone(), STANDARD_MAX_BYTES);
        let reading = tokio::task::spawn_blocking(move || index::read(&path, &read_key, limit)).await;
        let content = match reading.map_err(|error| error.to_string())? {
            Reading::Content(content) => content,
            Reading::Failed(why) => return Err(why),
            Reading::Skipped(why) => return Err(format!("the file was left out: {why}")),
            Reading::Empty => return Err("the file is empty".to_string()),
        };
        let parameters: Vec<super::database::Parameter> = vec![
            (Box::new(arguments.knowledge_base.clone()), Type::TEXT),
            (Box::new(content.bytes), Type::BYTEA),
            (Box::new(name), Type::TEXT),
            (Box::new(key.clone()), Type::TEXT),
        ];
        let row = shared.database.call(ADD, parameters, caller.cancel).await.map_err(refused)?;
        let id: Uuid = row.try_get(0).map_err(|error| error.to_string())?;
        Ok(format!("loaded {key} into {} as document {id}", arguments.knowledge_base))
    }

    async fn directory(
        &self,
        caller: &Caller<'_>,
        arguments: Arguments,
    ) -> std::result::Result<String, String> {
        let (directory, key) = self.find(&arguments.path)?;
        if !directory.is_dir() {
            return Err(format!("{key} is not a directory; index_file loads a file"));
        }
        let Ok(_running) = self.running.try_lock() else {
            return Err("another directory is being loaded; try again when that is done".to_string());
        };
        let base = arguments.knowledge_base.clone();
        let index =
            Index::quiet(directory, arguments.knowledge_base, arguments.glob, self.connection.clone());
        let mut interrupts = Interrupts::Token(caller.cancel.clone());
        let loaded = index::load(index, &mut interrupts).await;
        match loaded {
            Ok(loaded) if loaded.failed.is_empty() && loaded.is_whole => {
                Ok(format!("{base}: {}", loaded.sum))
            }
            Ok(loaded) => {
                let end = if loaded.is_whole { "" } else { "; interrupted" };
                let failed = loaded.failed.iter().map(|failure| format!("\nfailed: {failure}"));
                Err(format!("{base}: {}{end}{}", loaded.sum, failed.collect::<String>()))
            }
            Err(failure) => Err(told(&failure)),
        }
    }

    /// A file or directory below the root, and its path from there, with `/`. Symbolic links that lead elsewhere are no way out.
    fn find(&self, given: &str) -> std::result::Result<(PathBuf, String), String> {
        // One answer for what is not there and what is outside, which is nobody's business.
        let missing = || format!("there is no \"{given}\" below the root directory");
        let path = self.root.join(given).canonicalize().map_err(|_| missing())?;
        let below = path.strip_prefix(&self.root).map_err(|_| missing())?;
        let key = below.to_str().ok_or_else(|| "the path is not UTF-8".to_string())?.to_string();
        Ok((path.clone(), if key.is_empty() { ".".to_string() } else { key }))
    }
}

fn refused(refused: Refused) -> String {
    match refused {
        Refused::Call { failure, .. } => told(&failure),
        Refused::Cancelled => "the call was cancelled, or took too long".to_string(),
        Refused::Unavailable(_) => {
            "the knowledge base cannot be reached at the moment; try again later".to_string()
        }
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
        let glob = match given.get("glob") {
            None | Some(Value::Null) => Vec::new(),
            Some(patterns) => serde_json::from_value(patterns.clone()).map_err(|_| {
                format!("argument \"glob\" must be a list of patterns, such as {}", json!(["*.md"]))
            })?,
        };
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
        for (given, key) in [
            ("a/file.md", "a/file.md"),
            ("a/../a/./file.md", "a/file.md"),
            ("inner.md", "a/file.md"),
            (".", "."),
            ("a", "a"),
        ] {
            assert_eq!(files.find(given).unwrap().1, key, "{given}");
        }
        assert_eq!(files.find(absolute.to_str().unwrap()).unwrap().1, "a/file.md");
        for given in ["../secret.md", "link.md", "/etc/passwd", "a/../../secret.md", "missing", ""] {
            let given = if given.is_empty() { ".." } else { given };
            assert_eq!(
                files.find(given).unwrap_err(),
                format!("there is no \"{given}\" below the root directory")
            );
        }
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
