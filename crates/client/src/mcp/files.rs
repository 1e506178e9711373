//! `index_file` and `index_directory`: files of this machine, below one directory.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};

use super::call::{Caller, failed};
use super::server::Shared;
use super::tools::Named;
use crate::index;
use crate::output;
use crate::root::{Kind, Part, Root, Trouble};

/// The most patterns of a call, and their bytes.
const MAX_PATTERNS: usize = 100;
const MAX_PATTERN_BYTES: usize = 1_000;

/// Loads what the arguments of a tool name.
pub async fn load(
    root: &Root,
    shared: &Shared,
    caller: &Caller<'_>,
    tool: Named<'_>,
    arguments: &Value,
) -> CallToolResult {
    let is_directory = tool == Named::IndexDirectory;
    let result = match Arguments::read(arguments, is_directory) {
        Ok(arguments) => part(root, shared, caller, is_directory, arguments).await,
        Err(mistake) => Err(mistake),
    };
    match result {
        Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
        Err(text) => failed(text),
    }
}

async fn part(
    root: &Root,
    shared: &Shared,
    caller: &Caller<'_>,
    is_directory: bool,
    arguments: Arguments,
) -> Result<String, String> {
    let Arguments { path, knowledge_base, glob } = arguments;
    let part = Part { path, base: knowledge_base.clone(), glob, source_type: None, role: None };
    let kind = if is_directory { Kind::Directory } else { Kind::File };
    match root.load(part, kind, [caller.cancel.clone(), shared.database.closing()]).await {
        Ok(loaded) => describe(&knowledge_base, is_directory, &loaded),
        Err(Trouble::Missing(path)) => Err(format!("there is no \"{path}\" below the root directory")),
        Err(Trouble::IsDirectory(path)) => {
            Err(format!("\"{path}\" is a directory; index_directory loads it"))
        }
        Err(Trouble::IsFile(path)) => Err(format!("\"{path}\" is not a directory; index_file loads a file")),
        Err(Trouble::Busy) => Err("other files are being loaded; try again when that is done".to_string()),
        Err(Trouble::Failed(failure)) if failure.is_public => Err(failure.sentence()),
        Err(Trouble::Failed(failure)) => {
            output::error(&format!("error: {failure}"));
            Err("the files could not be loaded; the log of kb-rag says why".to_string())
        }
    }
}

/// What was loaded; an error where anything failed.
fn describe(base: &str, is_directory: bool, loaded: &index::Loaded) -> Result<String, String> {
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

/// The arguments of both tools.
struct Arguments {
    path: String,
    knowledge_base: String,
    glob: Vec<String>,
}

impl Arguments {
    fn read(given: &Value, with_glob: bool) -> Result<Arguments, String> {
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
        if glob.len() > MAX_PATTERNS || glob.iter().any(|pattern| pattern.len() > MAX_PATTERN_BYTES) {
            return Err(format!(
                "argument \"glob\" has at most {MAX_PATTERNS} patterns of {MAX_PATTERN_BYTES} bytes"
            ));
        }
        Ok(Arguments { path: text("path")?, knowledge_base: text("knowledge_base")?, glob })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
