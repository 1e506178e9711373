//! The list of tools: those of kb_tools, `search` and `fetch`, those that load files, and the one that saves outputs.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use kb_rag_core::file_kind::READABLE;
use kb_rag_core::part;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::save;
use crate::error::{Failure, Result};

/// The most bytes of a name that chat models take.
const MAX_NAME_BYTES: usize = 64;

/// The names under which clients know the tools, and the level that searches show where none is asked for.
pub struct Names {
    prefix: String,
    /// None for that of the database.
    detail: Option<String>,
}

/// The tool of kb_tools whose searches have a level.
const SEARCH_KNOWLEDGE: &str = "search_knowledge";

/// What a client calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named<'a> {
    /// A tool of kb_tools, by the name that it has there.
    Sql(&'a str),
    Search,
    Fetch,
    IndexFile,
    IndexDirectory,
    SaveOutput,
}

impl Names {
    pub fn new(prefix: &str, detail: Option<String>) -> Names {
        Names { prefix: prefix.to_string(), detail }
    }

    /// The arguments of a call of a tool of kb_tools, with the level that is shown where none is asked for.
    pub fn filled(&self, own: &str, mut arguments: Value) -> Value {
        if let (SEARCH_KNOWLEDGE, Some(detail), Some(members)) =
            (own, &self.detail, arguments.as_object_mut())
            && members.get("detail").is_none_or(Value::is_null)
        {
            members.insert("detail".to_string(), json!(detail));
        }
        arguments
    }

    /// The tool with this name; None if it lacks the prefix.
    pub fn find<'a>(&self, name: &'a str) -> Option<Named<'a>> {
        // ChatGPT knows these two by their names.
        match name {
            "search" => return Some(Named::Search),
            "fetch" => return Some(Named::Fetch),
            _ => {}
        }
        Some(match name.strip_prefix(self.prefix.as_str())? {
            "index_file" => Named::IndexFile,
            "index_directory" => Named::IndexDirectory,
            save::NAME => Named::SaveOutput,
            name => Named::Sql(name),
        })
    }

    /// The tool that saves outputs in a base.
    pub fn save_output(&self, base: &str, has_agent: bool) -> Tool {
        save::tool(&self.prefix, base, has_agent)
    }

    /// A description in which other tools are named.
    fn renamed(&self, text: &str) -> String {
        ["search_knowledge", "read_knowledge"]
            .iter()
            .fold(text.to_string(), |text, name| text.replace(name, &format!("{}{name}", self.prefix)))
    }

    /// All tools: `of_database` as kb_tools gives them.
    pub fn list(&self, of_database: Value, with_files: bool) -> Result<Vec<Tool>> {
        let mut tools: Vec<Tool> = serde_json::from_value(of_database)
            .map_err(|error| Failure::new(format!("kb_tools gave something else than tools: {error}")))?;
        let bases: Option<Value> = tools.iter().find_map(|tool| {
            tool.input_schema.get("properties")?.get("knowledge_base")?.get("enum").cloned()
        });
        for tool in &mut tools {
            if tool.name == SEARCH_KNOWLEDGE
                && let Some(detail) = &self.detail
                && let Some(default) = Arc::make_mut(&mut tool.input_schema)
                    .get_mut("properties")
                    .and_then(|properties| properties.get_mut("detail")?.get_mut("default"))
            {
                *default = json!(detail);
            }
            tool.name = format!("{}{}", self.prefix, tool.name).into();
            tool.description = tool.description.take().map(|text| self.renamed(&text).into());
            tool.annotations = Some(reads());
        }
        // Chat models refuse a list with a longer name. search_knowledge covers its base too.
        tools.retain(|tool| tool.name.len() <= MAX_NAME_BYTES);
        if !tools.is_empty() {
            tools.push(search());
            tools.push(fetch());
        }
        if with_files {
            tools.push(index_file(&self.prefix, bases.as_ref()));
            tools.push(index_directory(&self.prefix, bases.as_ref()));
        }
        Ok(tools)
    }
}

/// A hash of a list, by which a change is noticed.
pub fn hash(tools: &[Tool]) -> u64 {
    let mut hasher = DefaultHasher::new();
    serde_json::to_string(tools).unwrap_or_default().hash(&mut hasher);
    hasher.finish()
}

fn reads() -> ToolAnnotations {
    ToolAnnotations::from_raw(None, Some(true), Some(false), Some(true), Some(false))
}

fn writes() -> ToolAnnotations {
    ToolAnnotations::from_raw(None, Some(false), Some(false), Some(true), Some(false))
}

fn tool(
    name: String,
    description: impl Into<Cow<'static, str>>,
    schema: Value,
    annotations: ToolAnnotations,
) -> Tool {
    let schema = match schema {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    };
    let mut tool = Tool::default();
    tool.name = name.into();
    tool.description = Some(description.into());
    tool.input_schema = Arc::new(schema);
    tool.annotations = Some(annotations);
    tool
}

fn search() -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {"query": {"type": "string", "description": "What to look for, as a question or words"}},
        "required": ["query"],
        "additionalProperties": false
    });
    let description = "Find documents about a question in all knowledge bases. Gives their ids, titles and addresses; fetch reads one.";
    tool("search".to_string(), description, schema, reads())
}

fn fetch() -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {
            "id": {"type": "string", "description": "The id of a document, as search gives it"},
            "offset": {
                "type": "integer", "minimum": 0, "default": 0,
                "description": "The character to begin at; the end of each part says the next one"
            },
            "max_chars": {
                "type": "integer", "minimum": 1, "maximum": part::MAX_CHARS, "default": part::DEFAULT_CHARS,
                "description": "How many characters at most"
            }
        },
        "required": ["id"],
        "additionalProperties": false
    });
    let description = "Read the text of a document that search has found. A long one is read in parts, each of which ends with a line that says how to read on.";
    tool("fetch".to_string(), description, schema, reads())
}

fn base(bases: Option<&Value>) -> Value {
    let mut base = json!({"type": "string", "description": "The knowledge base that gets the documents"});
    if let (Some(bases), Some(base)) = (bases, base.as_object_mut()) {
        base.insert("enum".to_string(), bases.clone());
    }
    base
}

fn index_file(prefix: &str, bases: Option<&Value>) -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The file, as a path below the root directory"},
            "knowledge_base": base(bases)
        },
        "required": ["path", "knowledge_base"],
        "additionalProperties": false
    });
    let description =
        format!("Load a file into a knowledge base: {READABLE}. A file that was loaded before is replaced.");
    tool(format!("{prefix}index_file"), description, schema, writes())
}

fn index_directory(prefix: &str, bases: Option<&Value>) -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The directory, as a path below the root directory; . is the root itself"},
            "knowledge_base": base(bases),
            "glob": {
                "type": "array", "items": {"type": "string"}, "maxItems": 100,
                "description": "Load only files that match one of these patterns, as in .gitignore, such as *.md"
            }
        },
        "required": ["path", "knowledge_base"],
        "additionalProperties": false
    });
    let description = "Load the files of a directory into a knowledge base. Only new and changed files are loaded; hidden ones and those that .gitignore names are left out.";
    tool(format!("{prefix}index_directory"), description, schema, writes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_database() -> Value {
        json!([
            {"name": "search_support", "description": "Answers", "inputSchema": {"type": "object"}},
            {"name": "search_knowledge", "description": "All", "inputSchema": {
                "type": "object", "properties": {"knowledge_base": {"type": "string", "enum": ["support"]}}}}
        ])
    }

    fn names(tools: &[Tool]) -> Vec<&str> {
        tools.iter().map(|tool| tool.name.as_ref()).collect()
    }

    #[test]
    fn searches_show_the_level_of_the_server() {
        let known = Names::new("", Some("overview".to_string()));
        let of = |arguments: Value| known.filled("search_knowledge", arguments);
        assert_eq!(of(json!({"query": "q"})), json!({"query": "q", "detail": "overview"}));
        assert_eq!(of(json!({"detail": null})), json!({"detail": "overview"}));
        assert_eq!(of(json!({"detail": "passages"})), json!({"detail": "passages"}));
        assert_eq!(known.filled("search_support", json!({})), json!({}));
        assert_eq!(Names::new("", None).filled("search_knowledge", json!({})), json!({}));
        let schema = json!({"type": "object", "properties": {"detail": {"default": "passages"}}});
        let tools = json!([{"name": "search_knowledge", "description": "All", "inputSchema": schema}]);
        let listed = known.list(tools, false).unwrap();
        assert_eq!(listed[0].input_schema["properties"]["detail"]["default"], "overview");
    }

    #[test]
    fn listed_tools_are_found() {
        for prefix in ["", "octipus_"] {
            let known = Names::new(prefix, None);
            let tools = known.list(of_database(), true).unwrap();
            let found: Vec<Named> = tools.iter().map(|tool| known.find(&tool.name).unwrap()).collect();
            assert_eq!(
                found,
                [
                    Named::Sql("search_support"),
                    Named::Sql("search_knowledge"),
                    Named::Search,
                    Named::Fetch,
                    Named::IndexFile,
                    Named::IndexDirectory
                ]
            );
            let schema = &tools[4].input_schema;
            assert_eq!(schema["properties"]["knowledge_base"]["enum"], json!(["support"]));
        }
        let known = Names::new("octipus_", None);
        assert_eq!(
            names(&known.list(of_database(), false).unwrap())[..2],
            ["octipus_search_support", "octipus_search_knowledge"]
        );
        assert_eq!(known.find("search_support"), None);
        let tools = known.list(json!([
            {"name": "search_knowledge", "description": "Cite; read_knowledge reads.", "inputSchema": {"type": "object"}},
            {"name": format!("search_{}", "a".repeat(50)), "description": "", "inputSchema": {"type": "object"}}
        ]), false).unwrap();
        assert_eq!(tools[0].description.as_deref(), Some("Cite; octipus_read_knowledge reads."));
        assert_eq!(names(&tools), ["octipus_search_knowledge", "search", "fetch"]);
    }

    #[test]
    fn without_a_base_there_is_nothing_to_search() {
        assert!(Names::new("", None).list(json!([]), false).unwrap().is_empty());
        assert!(Names::new("", None).list(json!({"a": 1}), false).is_err());
    }

    #[test]
    fn a_change_changes_the_hash() {
        let known = Names::new("", None);
        let list = |with| hash(&known.list(of_database(), with).unwrap());
        assert_eq!(list(true), list(true));
        assert_ne!(list(true), list(false));
    }
}
