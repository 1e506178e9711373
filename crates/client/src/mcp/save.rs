//! `save_output`: what a model wrote, as a document of one base. Only with `--allow-write`.

use std::sync::Arc;

use rmcp::model::{CallToolResult, ContentBlock, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::call::{Caller, failed, words};
use super::server::Shared;
use crate::database::{Call, Database, Refused, Statement, text};
use crate::error::{Failure, Result};

/// The name of the tool, without a prefix.
pub const NAME: &str = "save_output";

/// The tool. A client asks its user before it calls one that is not read-only; each call adds a document.
pub fn tool(prefix: &str, base: &str, has_agent: bool) -> Tool {
    let mut properties = json!({
        "output": {"type": "string", "description": "The text, complete enough to be understood without this conversation"},
        "title": {"type": "string", "description": "What it is about, in a few words"}
    });
    // The agent of the program cannot write in the name of another.
    if let (false, Some(properties)) = (has_agent, properties.as_object_mut()) {
        let agent = json!({"type": "string", "description": "The name or uuid of the agent that wrote it"});
        properties.insert("agent_id".to_string(), agent);
    }
    let schema = json!({
        "type": "object", "properties": properties, "required": ["output"], "additionalProperties": false
    });
    let mut tool = Tool::default();
    tool.name = format!("{prefix}{NAME}").into();
    tool.description = Some(
        format!("Save a finished result, such as a report or an answer, in the knowledge base {base}, where later searches find it. Each call adds a document.")
            .into(),
    );
    if let Value::Object(schema) = schema {
        tool.input_schema = Arc::new(schema);
    }
    tool.annotations =
        Some(ToolAnnotations::from_raw(None, Some(false), Some(false), Some(false), Some(false)));
    tool
}

/// Adds what the arguments hold to a base.
pub async fn save(shared: &Shared, caller: &Caller<'_>, base: &str, arguments: &Value) -> CallToolResult {
    let saved = match Arguments::read(arguments, shared.agent.as_deref()) {
        Ok(arguments) => add(shared, caller, base, arguments).await,
        Err(mistake) => Err(mistake),
    };
    let (id, said) = match saved {
        Ok(saved) => saved,
        Err(mistake) => return failed(mistake),
    };
    let mut result = CallToolResult::success(vec![ContentBlock::text(said)]);
    result.structured_content = Some(json!({"document_id": id, "knowledge_base": base}));
    result
}

/// The id of the document, if there is one, and what the model reads.
async fn add(
    shared: &Shared,
    caller: &Caller<'_>,
    base: &str,
    arguments: Arguments,
) -> std::result::Result<(Option<String>, String), String> {
    let Arguments { output, title, agent } = arguments;
    let parameters = vec![text(Some(base.to_string())), text(Some(output)), text(agent), text(title)];
    // A call whose connection is lost may have added it: only the model can say whether to save it twice.
    let call = Call::new(Statement { sql: include_str!("sql/save_output.sql"), parameters });
    let given = shared.database.call(call, caller.cancel).await.map_err(|refused| words(&refused))?;
    let row = given.row.ok_or("the server gave no row")?;
    let read = |error: tokio_postgres::Error| error.to_string();
    let id: Option<String> = row.try_get(0).map_err(read)?;
    let why: Option<String> = row.try_get(1).map_err(read)?;
    let said = match &id {
        Some(id) => format!("{base}: saved as document {id}"),
        None => format!("{base}: not saved: {}", why.unwrap_or_default()),
    };
    Ok((id, said))
}

/// Says why the tool is not listed: a base that the role does not see, or may not write to.
pub async fn check(database: &Database, base: &str) -> Result<()> {
    let parameters = vec![text(Some(base.to_string()))];
    match database.row(include_str!("sql/may_save.sql"), parameters, &CancellationToken::new()).await {
        Ok(row) if row.try_get::<_, bool>(0)? => Ok(()),
        Ok(_) => Err(Failure::new(format!(
            "{NAME} is not listed: permission denied to write to knowledge base \"{base}\", or it does not exist"
        ))
        .hint(format!(
            "An administrator of the knowledge base can grant this privilege: SELECT kb_grant('{}', 'role', 'write')",
            base.replace('\'', "''")
        ))),
        Err(Refused::Unavailable(failure) | Refused::Call { failure, .. } | Refused::Role(failure)) => Err(failure),
        Err(Refused::Canceled | Refused::Busy) => Ok(()),
    }
}

/// The arguments of the tool.
#[derive(Debug, PartialEq, Eq)]
struct Arguments {
    output: String,
    title: Option<String>,
    agent: Option<String>,
}

impl Arguments {
    /// Those of a call, for the agent of this program if it has one; otherwise the mistake, for the model.
    fn read(given: &Value, agent: Option<&str>) -> std::result::Result<Arguments, String> {
        let none = Map::new();
        let given = given.as_object().unwrap_or(&none);
        let known: &[&str] =
            if agent.is_some() { &["output", "title"] } else { &["output", "title", "agent_id"] };
        if let Some(unknown) = given.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(format!("unknown argument \"{unknown}\"; known are {}", known.join(", ")));
        }
        let text = |name: &str| match given.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if !text.trim().is_empty() => Ok(Some(text.clone())),
            Some(_) => Err(format!("argument \"{name}\" must be a string that is not empty")),
        };
        let output = text("output")?.ok_or("argument \"output\" must be a string that is not empty")?;
        let agent = agent.map_or_else(|| text("agent_id"), |agent| Ok(Some(agent.to_string())))?;
        Ok(Arguments { output, title: text("title")?, agent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_of_a_call() {
        let read = Arguments::read(&json!({"output": "a", "title": null, "agent_id": "b"}), None).unwrap();
        assert_eq!(read, Arguments { output: "a".to_string(), title: None, agent: Some("b".to_string()) });
        assert_eq!(Arguments::read(&json!({"output": "a"}), Some("b")).unwrap().agent.as_deref(), Some("b"));
        for (given, agent, said) in [
            (json!({}), None, "\"output\" must be a string"),
            (json!({"output": " "}), None, "\"output\" must be a string"),
            (json!({"output": 1}), None, "\"output\" must be a string"),
            (json!({"output": "a", "title": 1}), None, "\"title\" must be a string"),
            (json!({"output": "a", "agent_id": "c"}), Some("b"), "unknown argument \"agent_id\""),
            (json!({"output": "a", "knowledge_base": "c"}), None, "unknown argument \"knowledge_base\""),
        ] {
            let mistake = Arguments::read(&given, agent).unwrap_err();
            assert!(mistake.contains(said), "{given}: {mistake}");
        }
    }

    #[test]
    fn the_tool_says_that_it_writes() {
        let tool = serde_json::to_value(tool("my_", "notes", true)).unwrap();
        assert_eq!(tool["name"], "my_save_output");
        assert_eq!(
            tool["annotations"],
            json!({"readOnlyHint": false, "destructiveHint": false, "idempotentHint": false, "openWorldHint": false})
        );
        assert_eq!(tool["inputSchema"]["properties"].get("agent_id"), None);
        let of_any = serde_json::to_value(super::tool("", "notes", false)).unwrap();
        assert_eq!(of_any["inputSchema"]["properties"]["agent_id"]["type"], "string");
    }
}
