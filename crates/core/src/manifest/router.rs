//! The block `llms` of a manifest, as far as a retrieval needs it: where its models are asked.

use serde_json::{Map, Value};

use super::Mistake;
use super::fields::Fields;

/// The longest URL.
const MAX_URL_BYTES: usize = 2_000;

/// A router: a server with the protocol of OpenAI, for all models of a manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Router {
    /// With the version, as in `https://router.example.com/v1`, and without a slash at the end.
    pub base_url: Option<String>,
    /// The variable of the key.
    pub api_key: Option<String>,
    /// The chat model, as provider/model.
    pub chat_model: Option<String>,
}

/// The router of a whole manifest, or of its `agent_config`, and what is wrong with it. Other keys of `llms` are not looked at.
pub fn router(manifest: &Value) -> (Router, Vec<Mistake>) {
    let config = manifest.get("agent_config").and_then(|config| config.get("llms"));
    let members = match config.or_else(|| manifest.get("llms")) {
        Some(Value::Object(members)) => members,
        None | Some(Value::Null) => &Map::new(),
        Some(_) => {
            let mistake = Mistake {
                field: "llms".to_string(),
                message: "llms is not an object".to_string(),
                hint: "Give an object, as in {\"base_url\": \"https://router.example.com/v1\"}.".to_string(),
            };
            return (Router::default(), vec![mistake]);
        }
    };
    let mut fields = Fields::from_members(members, "llms.");
    let router = Router {
        base_url: fields.text("base_url", false).map(|url| url.trim_end_matches('/').to_string()),
        api_key: fields.variable("api_key", false),
        chat_model: fields.optional_model("default"),
    };
    let mut mistakes = fields.mistakes;
    if let Some(mistake) = router.base_url.as_deref().and_then(url_mistake) {
        mistakes.push(Mistake {
            field: "base_url".to_string(),
            message: format!("llms.base_url{mistake}"),
            hint:
                "Give the URL before /embeddings and /chat/completions, as in https://router.example.com/v1."
                    .to_string(),
        });
    }
    (router, mistakes)
}

/// The mistake in a base URL, to follow its name. One that may hold a password or a key is not shown.
pub fn url_mistake(url: &str) -> Option<String> {
    let host = ["https://", "http://"].iter().find_map(|scheme| url.strip_prefix(scheme)).unwrap_or_default();
    let is_plain = |b: u8| b.is_ascii_graphic() && !b"\"<>\\^`{|}?#@".contains(&b);
    if url.len() > MAX_URL_BYTES {
        return Some(" is too long".to_string());
    }
    if !host.is_empty() && !host.starts_with(['/', ':']) && host.bytes().all(is_plain) {
        return None;
    }
    match url.contains(['@', '?', '#']) {
        true => Some(" is not a base URL".to_string()),
        false => Some(format!(" \"{url}\" is not a base URL")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn messages(manifest: Value) -> Vec<String> {
        router(&manifest).1.into_iter().map(|mistake| mistake.message).collect()
    }

    #[test]
    fn a_router_is_found_in_a_manifest() {
        let llms = json!({"base_url": "https://router.example.com/v1/", "api_key": "${LLM_KEY}", "default": "openai/gpt-4o-mini",
            "timeout": 3});
        let expected = Router {
            base_url: Some("https://router.example.com/v1".to_string()),
            api_key: Some("LLM_KEY".to_string()),
            chat_model: Some("openai/gpt-4o-mini".to_string()),
        };
        for manifest in [json!({"agent_config": {"llms": llms}}), json!({"llms": llms, "search": {}})] {
            assert_eq!(router(&manifest), (expected.clone(), vec![]));
        }
        for manifest in
            [json!({}), json!(null), json!({"llms": null}), json!([]), json!({"type": "pgvector"})]
        {
            assert_eq!(router(&manifest), (Router::default(), vec![]));
        }
    }

    #[test]
    fn mistakes_are_named_without_secrets() {
        assert_eq!(messages(json!({"llms": 1})), ["llms is not an object"]);
        assert_eq!(
            messages(json!({"llms": {"base_url": "router", "api_key": "sk-1", "default": "small"}})),
            [
                "llms.api_key is not of the form ${VAR}",
                "llms.default \"small\" is not of the form provider/model",
                "llms.base_url \"router\" is not a base URL",
            ]
        );
        for url in [
            "https://user:pw@host/v1",
            "https://host/v1?key=1",
            "https://",
            "ftp://host",
            "http://a b",
            "http:///v1",
        ] {
            let messages = messages(json!({"llms": {"base_url": url}}));
            assert_eq!(messages.len(), 1, "{url}");
            assert!(!messages[0].contains("pw") && !messages[0].contains("key"), "{messages:?}");
        }
    }
}
