//! One call of a tool.

use rmcp::model::{CallToolResult, ContentBlock, ErrorData};
use serde_json::Value;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::Type;
use tokio_util::sync::CancellationToken;

use super::connector;
use super::files;
use super::quote::quoted;
use super::save;
use super::server::Shared;
use super::tools::Named;
use crate::database::{Parameter, Refused};
use crate::error::Failure;

/// A statement that calls a tool as the agent of this program.
const CALL: &str = "SELECT {extension}.kb_call_tool($1, $2,
    agent_id => CASE WHEN $3 IS NOT NULL THEN {extension}.kb_agent($3) END, session_id => $4)";

/// Who calls.
pub struct Caller<'a> {
    /// Of all calls of one client, for the log of the server.
    pub session: &'a str,
    pub cancel: &'a CancellationToken,
}

/// Calls a tool. What the model can do something about is a result that says so; an error is only a tool that does not exist,
/// or a call that was canceled.
pub async fn call(
    shared: &Shared,
    caller: &Caller<'_>,
    name: &str,
    arguments: Value,
) -> Result<CallToolResult, ErrorData> {
    if name.contains('\0') {
        return Err(unknown(name, None));
    }
    if let Some(argument) = with_nul(&arguments) {
        return Ok(failed(format!(
            "argument {} has a NUL character (\\u0000), which no text can have",
            Value::from(argument)
        )));
    }
    match shared.names.find(name) {
        Some(Named::Sql(own)) => {
            let arguments = shared.names.filled(own, arguments);
            match run(shared, caller, name, own, arguments).await {
                Ok(result) => Ok(answer(&result)),
                Err(result) => result,
            }
        }
        Some(Named::Search) => connector::search(shared, caller, &arguments).await,
        Some(Named::Fetch) => connector::fetch(shared, caller, arguments).await,
        Some(named @ (Named::IndexFile | Named::IndexDirectory)) => match &shared.files {
            Some(root) => Ok(files::load(root, shared, caller, named, &arguments).await),
            None => Err(unknown(name, None)),
        },
        Some(Named::SaveOutput) => match &shared.outputs {
            Some(base) => Ok(save::save(shared, caller, base, &arguments).await),
            None => Err(unknown(name, None)),
        },
        None => Err(unknown(name, None)),
    }
}

/// The argument in which there is a NUL character, if any: no text of PostgreSQL can have one.
fn with_nul(arguments: &Value) -> Option<&str> {
    fn has(value: &Value) -> bool {
        match value {
            Value::String(text) => text.contains('\0'),
            Value::Array(values) => values.iter().any(has),
            Value::Object(members) => members.iter().any(|(name, value)| name.contains('\0') || has(value)),
            _ => false,
        }
    }
    let is_wrong = |(name, value): &(&String, &Value)| name.contains('\0') || has(value);
    arguments.as_object()?.iter().find(is_wrong).map(|(name, _)| name.as_str())
}

/// What is answered to a call that found nothing.
pub type ToolResult = Result<CallToolResult, ErrorData>;

/// The result of a tool of kb_tools, by the name `own` that it has there; the answer where it failed. `given` is the name that the
/// client used.
pub async fn run(
    shared: &Shared,
    caller: &Caller<'_>,
    given: &str,
    own: &str,
    arguments: Value,
) -> Result<Value, ToolResult> {
    let parameters: Vec<Parameter> = vec![
        (Box::new(own.to_string()), Type::TEXT),
        (Box::new(arguments), Type::JSONB),
        (Box::new(shared.agent.clone()), Type::TEXT),
        (Box::new(caller.session.to_string()), Type::TEXT),
    ];
    let row = shared.database.row(CALL, parameters, caller.cancel).await;
    let result =
        row.and_then(|row| row.try_get(0).map_err(|error| Refused::Unavailable(Failure::from(error))));
    let result: Value = result.map_err(|refused| refusal(given, own, refused))?;
    checked(result)
}

/// A result of kb_call_tool that is no error.
fn checked(result: Value) -> Result<Value, ToolResult> {
    match result.get("isError").and_then(Value::as_bool) {
        Some(true) => Err(Ok(failed(text(&result)))),
        _ => Ok(result),
    }
}

/// The text of a result of kb_call_tool.
pub fn text(result: &Value) -> &str {
    result.pointer("/content/0/text").and_then(Value::as_str).unwrap_or_default()
}

/// The text of a result with passages, as a quotation. The line that says how to read on is no part of it.
pub fn quotation(result: &Value) -> String {
    let is_part = result.pointer("/structuredContent/part").is_some();
    match text(result).rsplit_once('\n').filter(|_| is_part) {
        Some((passages, note)) => format!("{}\n{note}", quoted(passages)),
        None => quoted(text(result)),
    }
}

fn answer(result: &Value) -> CallToolResult {
    let sources = result.pointer("/structuredContent/sources").and_then(Value::as_array);
    let has_passages = sources.is_some_and(|sources| !sources.is_empty());
    let text = if has_passages { quotation(result) } else { text(result).to_string() };
    let mut answer = CallToolResult::success(vec![ContentBlock::text(text)]);
    answer.structured_content = result.get("structuredContent").cloned();
    answer
}

/// A result that tells the model what went wrong.
pub fn failed(text: impl Into<String>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text.into())])
}

/// The result of a call that failed. `given` is the name that the client used, `own` that in kb_tools.
fn refusal(given: &str, own: &str, refused: Refused) -> ToolResult {
    match refused {
        Refused::Call { code, failure }
            if code == SqlState::UNDEFINED_OBJECT
                && failure.message.starts_with(&format!("tool \"{own}\"")) =>
        {
            // The hint has the names of kb_tools.
            Err(unknown(given, failure.hint.filter(|_| given == own)))
        }
        Refused::Call { failure, .. } => Ok(failed(failure.sentence())),
        refused => Ok(failed(words(&refused))),
    }
}

/// Why a call gave nothing, for a model. What is wrong with the database, such as its address, is for the log.
pub fn words(refused: &Refused) -> String {
    match refused {
        Refused::Call { failure, .. } => failure.sentence(),
        Refused::Role(failure) => failure.sentence(),
        Refused::Canceled => "the call was canceled, or took too long".to_string(),
        Refused::Busy => "too many calls run at the same time; try again later".to_string(),
        Refused::Unavailable(_) => {
            "the database cannot be reached at the moment; try again later".to_string()
        }
    }
}

fn unknown(name: &str, hint: Option<String>) -> ErrorData {
    let hint =
        hint.map(|hint| Value::Object([("hint".to_string(), Value::from(hint))].into_iter().collect()));
    ErrorData::invalid_params(format!("unknown tool: {name}"), hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_passages_are_quoted() {
        let found = json!({"content": [{"type": "text", "text": "[Source: a] Kiwis."}], "structuredContent": {"sources": [{}]},
            "sources": [{}], "isError": false});
        let answer = serde_json::to_value(super::answer(&found)).unwrap();
        let text = answer["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("<passages ") && text.contains("\n[Source: a] Kiwis.\n"), "{text}");
        assert_eq!(answer["structuredContent"], json!({"sources": [{}]}));
        assert!(answer.get("sources").is_none());
        let part = json!({"content": [{"type": "text", "text": "a\nb\n[Characters 0 to 3 of 9]"}],
            "structuredContent": {"sources": [{}], "part": {"next_offset": 3}}, "isError": false});
        let answer = serde_json::to_value(super::answer(&part)).unwrap();
        let text = answer["content"][0]["text"].as_str().unwrap();
        assert!(
            text.contains("\na\nb\n</passages ") && text.ends_with(">\n[Characters 0 to 3 of 9]"),
            "{text}"
        );
        assert_eq!(answer["structuredContent"]["part"], json!({"next_offset": 3}));
        let nothing = json!({"content": [{"type": "text", "text": "No passage about this was found."}],
            "structuredContent": {"sources": []}, "isError": false});
        let answer = serde_json::to_value(super::answer(&nothing)).unwrap();
        assert_eq!(answer["content"][0]["text"], "No passage about this was found.");
        let wrong = json!({"content": [{"type": "text", "text": "unknown argument"}], "isError": true});
        let answer = serde_json::to_value(checked(wrong).unwrap_err().unwrap()).unwrap();
        assert_eq!(
            (&answer["isError"], &answer["content"][0]["text"]),
            (&json!(true), &json!("unknown argument"))
        );
    }

    #[test]
    fn nul_characters_are_found() {
        for (arguments, expected) in [
            (json!({"query": "a\u{0}b", "limit": 1}), Some("query")),
            (json!({"limit": 1, "a\u{0}": 1}), Some("a\u{0}")),
            (json!({"filter": {"a": [{"b": "\u{0}"}]}}), Some("filter")),
            (json!({"filter": {"a\u{0}": 1}}), Some("filter")),
            (json!({"query": "a", "limit": null}), None),
        ] {
            assert_eq!(with_nul(&arguments), expected, "{arguments}");
        }
    }

    #[test]
    fn refusals() {
        let call =
            |code: SqlState, message: &str| Refused::Call { code, failure: Failure::new(message).hint("H") };
        let missing = call(SqlState::UNDEFINED_OBJECT, "tool \"search_x\" does not exist");
        assert_eq!(
            refusal("p_search_x", "search_x", missing).unwrap_err().message,
            "unknown tool: p_search_x"
        );
        let denied = call(SqlState::INSUFFICIENT_PRIVILEGE, "permission denied");
        let result = serde_json::to_value(refusal("a", "a", denied).unwrap()).unwrap();
        assert_eq!(
            (&result["isError"], &result["content"][0]["text"]),
            (&json!(true), &json!("permission denied (H)"))
        );
        let secret = Refused::Unavailable(Failure::new("cannot connect to host \"db.internal\""));
        let result = serde_json::to_string(&refusal("a", "a", secret).unwrap()).unwrap();
        assert!(!result.contains("internal"), "{result}");
    }
}
