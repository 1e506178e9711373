//! `search` and `fetch` in the shapes that ChatGPT's connectors and deep research ask for
//! (<https://platform.openai.com/docs/mcp>): a JSON object, as structured content and again as text.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Map, Value, json};

use super::call::{Caller, ToolResult, failed, quotation, run};
use super::server::Shared;

/// So many passages are searched for; several of them may be of one document.
const PASSAGES: u32 = 20;

/// The documents that answer a question, best first: `{results: [{id, title, url}]}`.
pub async fn search(shared: &Shared, caller: &Caller<'_>, arguments: &Value) -> ToolResult {
    let Some(query) = only(arguments, "query") else {
        return Ok(failed("search takes one argument, query, a string"));
    };
    let arguments = json!({"query": query, "limit": PASSAGES});
    match run(shared, caller, "search", "search_knowledge", arguments).await {
        Ok(result) => Ok(object(json!({"results": documents(&result)}))),
        Err(result) => result,
    }
}

/// A document: `{id, title, text, url, metadata}`. The arguments are those of read_knowledge, which ChatGPT gives only the id.
pub async fn fetch(shared: &Shared, caller: &Caller<'_>, arguments: Value) -> ToolResult {
    let result = match run(shared, caller, "fetch", "read_knowledge", arguments).await {
        Ok(result) => result,
        Err(result) => return result,
    };
    let mut document = documents(&result).into_iter().next().unwrap_or_default();
    document.insert("text".to_string(), quotation(&result).into());
    let source = result.pointer("/structuredContent/sources/0");
    let metadata = source.and_then(|source| source.get("metadata")).cloned().unwrap_or_else(|| json!({}));
    document.insert("metadata".to_string(), metadata);
    Ok(object(Value::Object(document)))
}

/// The value of the only argument.
fn only<'a>(arguments: &'a Value, name: &str) -> Option<&'a str> {
    let object = arguments.as_object().filter(|object| object.len() == 1)?;
    object.get(name)?.as_str()
}

/// Each document of the sources once, in their order.
fn documents(result: &Value) -> Vec<Map<String, Value>> {
    let mut found: Vec<Map<String, Value>> = Vec::new();
    let sources = result.pointer("/structuredContent/sources").and_then(Value::as_array);
    for source in sources.into_iter().flatten() {
        let field =
            |name: &str| source.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let Some(id) = field("document_id") else { continue };
        if found.iter().any(|known| known.get("id").and_then(Value::as_str) == Some(id)) {
            continue;
        }
        let title = field("title").or(field("filename")).or(field("source")).unwrap_or("document");
        let is_url = |source: &&str| source.starts_with("https://") || source.starts_with("http://");
        let url = field("source").filter(is_url).map_or_else(|| format!("urn:uuid:{id}"), str::to_string);
        let document = [("id", id.to_string()), ("title", title.to_string()), ("url", url)];
        found
            .push(document.into_iter().map(|(name, value)| (name.to_string(), Value::from(value))).collect());
    }
    found
}

fn object(value: Value) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
    result.structured_content = Some(value);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_named_once() {
        let result = json!({"structuredContent": {"sources": [
            {"document_id": "1", "title": "One", "source": "https://a.example/1"},
            {"document_id": "2", "title": null, "filename": "b.pdf", "source": "/srv/b.pdf"},
            {"document_id": "1", "title": "One", "source": "https://a.example/1"},
            {"document_id": "3", "title": " ", "source": null}
        ]}});
        let found: Vec<Value> = documents(&result).into_iter().map(Value::Object).collect();
        assert_eq!(
            found,
            [
                json!({"id": "1", "title": "One", "url": "https://a.example/1"}),
                json!({"id": "2", "title": "b.pdf", "url": "urn:uuid:2"}),
                json!({"id": "3", "title": "document", "url": "urn:uuid:3"})
            ]
        );
    }

    #[test]
    fn one_argument() {
        assert_eq!(only(&json!({"query": "a"}), "query"), Some("a"));
        for wrong in [
            json!({}),
            json!({"q": "a"}),
            json!({"query": 1}),
            json!({"query": "a", "b": 1}),
            json!([]),
            json!(null),
        ] {
            assert_eq!(only(&wrong, "query"), None, "{wrong}");
        }
    }
}
