//! The subcommands `retrieve` and `check`: the search slot of an agent's manifest, run from outside of the database.

mod check;
mod collection;
mod endpoint;
mod file;
mod http;
mod retrieve;
mod router;
mod yaml;

use kb_rag_core::manifest::{self, Mistake, Router as RouterBlock, Search};
use serde_json::Value;

pub use check::check;
pub use retrieve::retrieve;

use crate::cli::ManifestFile;
use crate::error::{Failure, Result};

/// A manifest that was read: its block, and the mistakes in it.
struct Manifest {
    /// None where the manifest has no block.
    parsed: Option<manifest::Parsed>,
    /// The router of its models.
    router: RouterBlock,
    router_mistakes: Vec<Mistake>,
}

impl Manifest {
    /// # Errors
    /// Status 2 if the file cannot be read.
    fn read(arguments: &ManifestFile) -> Result<Manifest> {
        Ok(Manifest::from_value(&file::manifest(&arguments.manifest)?, arguments))
    }

    fn from_value(value: &Value, arguments: &ManifestFile) -> Manifest {
        let (router, router_mistakes) = router::block(value, arguments);
        Manifest { parsed: manifest::block_of(value).map(manifest::parse), router, router_mistakes }
    }

    /// The block, and where its models are asked. None where the manifest has no block.
    ///
    /// # Errors
    /// Status 2 with all mistakes.
    fn block(self) -> Result<Option<(Search, RouterBlock)>> {
        let Some(parsed) = self.parsed else { return Ok(None) };
        let mut mistakes = parsed.mistakes;
        // An endpoint asks models of its own.
        if let Some(Search::Pgvector(_)) = parsed.search {
            mistakes.extend(self.router_mistakes);
        }
        match (failure_of(&mistakes), parsed.search) {
            (Some(failure), _) => Err(failure),
            (None, search) => Ok(search.map(|search| (search, self.router))),
        }
    }
}

/// The first mistake with the others in its detail.
fn failure_of(mistakes: &[Mistake]) -> Option<Failure> {
    let (first, others) = mistakes.split_first()?;
    let others: Vec<String> =
        others.iter().map(|mistake| format!("{} ({})", mistake.message, mistake.hint)).collect();
    Some(Failure {
        detail: (!others.is_empty()).then(|| format!("Other mistakes: {}", others.join("; "))),
        ..Failure::usage(&first.message).hint(&first.hint)
    })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use serde_json::json;

    use super::*;

    fn arguments() -> ManifestFile {
        ManifestFile { manifest: PathBuf::from("-"), router: None, router_key: None, chat_model: None }
    }

    fn table() -> Value {
        json!({"agent_config": {"search": {
            "type": "pgvector", "hostname": "db.example.com", "port": 5432, "password": "${KB_PG_PASSWORD}", "collection": "a",
            "embedding_model": "openai/small", "embedding_dimensions": 3}, "llms": {"base_url": "https://router.example.com/v1"}}})
    }

    fn failure(change: impl Fn(&mut Value), arguments: &ManifestFile) -> Failure {
        let mut manifest = table();
        change(&mut manifest["agent_config"]);
        Manifest::from_value(&manifest, arguments).block().unwrap_err()
    }

    #[test]
    fn every_field_is_checked() {
        for (field, value, said, hint) in [
            ("type", json!("pg"), "type \"pg\" is not valid", "Valid values are pgvector, external."),
            (
                "hostname",
                json!("http://a"),
                "hostname \"http://a\" is not a host name",
                "Give a host without",
            ),
            ("port", json!("5432"), "port is a string, not an integer", "Write the number without quotes."),
            ("port", json!(0), "port 0 is out of range", "Use 1 to 65535."),
            ("user", json!(1), "user is not a text", "Give a string."),
            ("password", json!("plain"), "password is not of the form ${VAR}", "A manifest holds no secrets"),
            ("password", json!(null), "password is missing", "The block needs this key."),
            ("dbname", json!(""), "dbname is empty", "Give a text, or leave the key out."),
            ("sslmode", json!("on"), "sslmode \"on\" is not valid", "Valid values are disable, allow"),
            ("collection", json!("a b"), "collection \"a b\" is not the name of a table", "Give the name"),
            ("content_key", json!(true), "content_key is not a text", "Give a string."),
            ("metadata_filter", json!([]), "metadata_filter is not an object", "Give an object"),
            (
                "embedding_model",
                json!("small"),
                "embedding_model \"small\" is not of the form",
                "As in openai/",
            ),
            ("embedding_dimensions", json!(0), "embedding_dimensions 0 is out of range", "Use 1 to 16000."),
            ("top_k", json!(1.5), "top_k is not an integer", "Use 1 to 10000."),
            ("prompt", json!({"version": 1}), "prompt.id is missing", "The block needs this key."),
            ("collektion", json!("a"), "unrecognized key \"collektion\"", "Perhaps you meant collection."),
        ] {
            let failure = failure(|config| config["search"][field] = value.clone(), &arguments());
            assert_eq!(failure.status, 2);
            assert!(failure.message.starts_with(said), "{failure}");
            assert!(failure.hint.as_ref().is_some_and(|shown| shown.starts_with(hint)), "{failure}");
            assert!(!failure.to_string().contains("plain"), "{failure}");
        }
    }

    #[test]
    fn other_mistakes_are_in_the_detail() {
        let change = |config: &mut Value| {
            config["search"]["port"] = json!(0);
            config["llms"]["base_url"] = json!("router");
        };
        let failure = failure(change, &arguments());
        assert_eq!(failure.message, "port 0 is out of range");
        let detail = failure.detail.unwrap();
        assert!(
            detail.starts_with("Other mistakes: llms.base_url \"router\" is not a base URL ("),
            "{detail}"
        );
    }

    #[test]
    fn arguments_stand_in_for_the_router() {
        let given = ManifestFile {
            router: Some("http://localhost:4000/".to_string()),
            router_key: Some("KEY".to_string()),
            chat_model: Some("a/b".to_string()),
            ..arguments()
        };
        let mut manifest = table();
        manifest["agent_config"]["llms"] =
            json!({"base_url": 1, "api_key": "plain", "default": {"primary": "x"}});
        let (_, router) = Manifest::from_value(&manifest, &given).block().unwrap().unwrap();
        let expected = RouterBlock {
            base_url: Some("http://localhost:4000".to_string()),
            api_key: Some("KEY".to_string()),
            chat_model: Some("a/b".to_string()),
        };
        assert_eq!(router, expected);
        for (wrong, said) in [
            (
                ManifestFile { router: Some("localhost".to_string()), ..arguments() },
                "--router \"localhost\" is not a base URL",
            ),
            (
                ManifestFile { router_key: Some("sk-1".to_string()), ..arguments() },
                "--router-key is not the name of a variable",
            ),
            (
                ManifestFile { chat_model: Some("b".to_string()), ..arguments() },
                "--chat-model \"b\" is not of the form provider/model",
            ),
        ] {
            assert_eq!(failure(|_| {}, &wrong).message, said);
        }
    }

    #[test]
    fn an_endpoint_needs_no_router() {
        let block = json!({"type": "external", "hostname": "a", "port": 1, "path": "/b"});
        let manifest = json!({"search": block, "llms": 1});
        assert!(Manifest::from_value(&manifest, &arguments()).block().unwrap().is_some());
        assert!(
            Manifest::from_value(&json!({"llms": {}, "search": null}), &arguments())
                .block()
                .unwrap()
                .is_none()
        );
    }
}
