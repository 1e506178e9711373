//! The `search` block of an agent's manifest: where the agent finds what it answers from.
//!
//! Two types: `pgvector`, a table, and `external`, an HTTP endpoint. [`parse`] reads a block, with the defaults of what it leaves
//! out, and names every mistake in it. Texts of secrets are never part of a message.

pub mod endpoint;
mod fields;
mod router;
pub mod statements;
pub mod table;

use core::time::Duration;

use serde_json::{Map, Value};

use fields::Fields;
pub use router::{Router, router, url_mistake};

/// The most dimensions of a vector in pgvector.
const MAX_DIMENSIONS: i64 = 16_000;
/// The most rows of a retrieval: as many as a search of a knowledge base gives.
const MAX_ROWS: i64 = 10_000;
/// The longest time-out of an endpoint, in seconds.
const MAX_TIMEOUT: f64 = 3_600.0;
/// What libpq knows as `sslmode`.
const SSL_MODES: [&str; 6] = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];
const DEFAULT_SSL_MODE: &str = "require";
const TYPES: [&str; 2] = ["pgvector", "external"];

/// A block.
#[derive(Clone, Debug, PartialEq)]
pub enum Search {
    /// A table with vectors.
    Pgvector(Pgvector),
    /// An endpoint over HTTP.
    External(External),
}

/// Type `pgvector`. Host, port, user, password and sslmode say how the client program reaches the table; the server reads its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Pgvector {
    /// The host of the database server, in brackets if it is an IPv6 address.
    pub hostname: String,
    /// Its port.
    pub port: u16,
    /// The role, if the block has one.
    pub user: Option<String>,
    /// The variable of the password.
    pub password: String,
    /// As libpq has it.
    pub sslmode: String,
    /// The database, if the block has one.
    pub dbname: Option<String>,
    /// The table: a name, or schema and name.
    pub collection: Vec<Identifier>,
    /// The key of a row's metadata whose value is the text.
    pub content_key: String,
    /// What the metadata of a row must contain.
    pub metadata_filter: Map<String, Value>,
    /// As provider/model.
    pub embedding_model: String,
    /// Of the vectors in the table.
    pub embedding_dimensions: i32,
    /// Rows per retrieval.
    pub top_k: i64,
    /// More instructions for rewriting the conversation.
    pub prompt: Option<PromptReference>,
}

/// Type `external`.
#[derive(Clone, Debug, PartialEq)]
pub struct External {
    /// Scheme, host and port, as in `http://localhost:8080`.
    pub origin: String,
    /// Starts with a slash.
    pub path: String,
    /// The variable of the key, if there is one.
    pub api_key: Option<String>,
    /// Sent to the endpoint.
    pub top_k: i64,
    /// The most messages that are sent.
    pub max_messages: usize,
    /// For the whole call.
    pub timeout: Duration,
}

/// A prompt by its name, and by its version; without one it is the newest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptReference {
    /// As it was given to kb_prompt_set.
    pub id: String,
    /// From 1.
    pub version: Option<i32>,
}

/// A name in SQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identifier {
    /// As it is written, without quotes.
    pub name: String,
    /// Whether it was written in quotes: then its case counts.
    pub is_quoted: bool,
}

/// What is wrong with a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The field, or the empty text for the block itself.
    pub field: String,
    /// In the style of PostgreSQL's messages.
    pub message: String,
    /// How to fix it.
    pub hint: String,
}

/// A block that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The block, with placeholders for fields that are wrong; None without a known type.
    pub search: Option<Search>,
    /// In the order of the fields.
    pub mistakes: Vec<Mistake>,
}

impl Parsed {
    /// Whether there is no mistake in this field.
    pub fn is_right(&self, field: &str) -> bool {
        self.mistakes.iter().all(|mistake| mistake.field != field)
    }
}

/// The block of a whole manifest, or of its `agent_config`; anything else is taken for the block itself. None where the
/// manifest has none.
pub fn block_of(manifest: &Value) -> Option<&Value> {
    let config = manifest.get("agent_config");
    let blocks = [config.and_then(|config| config.get("search")), manifest.get("search")];
    let is_manifest = config.is_some() || blocks[1].is_some();
    let block = blocks.into_iter().flatten().find(|block| !block.is_null());
    block.or((!is_manifest && !manifest.is_null()).then_some(manifest))
}

/// Reads a block.
pub fn parse(block: &Value) -> Parsed {
    let Value::Object(members) = block else {
        let mistake = Mistake {
            field: String::new(),
            message: "search is not an object".to_string(),
            hint: "Give the search block of a manifest as JSON, as in {\"type\": \"pgvector\", …}."
                .to_string(),
        };
        return Parsed { search: None, mistakes: vec![mistake] };
    };
    let mut fields = Fields::from_members(members, "");
    let search = match fields.one_of("type", &TYPES, None).as_deref() {
        Some("pgvector") => Some(Search::Pgvector(pgvector(&mut fields))),
        Some(_) => Some(Search::External(external(&mut fields))),
        None => None,
    };
    let mistakes = if search.is_some() { fields.finish() } else { fields.mistakes };
    Parsed { search, mistakes }
}

fn pgvector(fields: &mut Fields) -> Pgvector {
    let hostname = fields.host("hostname", false).map(|(_, host)| host).unwrap_or_default();
    let port = u16::try_from(fields.integer("port", None, 1..=65_535)).unwrap_or_default();
    let user = fields.text("user", false);
    let password = fields.variable("password", true).unwrap_or_default();
    let dbname = fields.text("dbname", false);
    let sslmode = fields.one_of("sslmode", &SSL_MODES, Some(DEFAULT_SSL_MODE)).unwrap_or_default();
    Pgvector {
        hostname,
        port,
        user,
        password,
        sslmode,
        dbname,
        collection: fields.collection("collection").unwrap_or_default(),
        content_key: fields.text("content_key", false).unwrap_or_else(|| "content".to_string()),
        metadata_filter: fields
            .object("metadata_filter", "{\"kb_location\": \"article\"}")
            .unwrap_or_default(),
        embedding_model: fields.model("embedding_model").unwrap_or_default(),
        embedding_dimensions: fields.integer("embedding_dimensions", None, 1..=MAX_DIMENSIONS) as i32,
        top_k: fields.integer("top_k", Some(5), 1..=MAX_ROWS),
        prompt: fields.prompt("prompt"),
    }
}

fn external(fields: &mut Fields) -> External {
    let (scheme, host) = fields.host("hostname", true).unwrap_or_default();
    let port = fields.integer("port", None, 1..=65_535);
    External {
        origin: format!("{scheme}://{host}:{port}"),
        path: fields.path("path").unwrap_or_default(),
        api_key: fields.variable("api_key", false),
        top_k: fields.integer("top_k", Some(5), 1..=i64::from(i32::MAX)),
        max_messages: usize::try_from(fields.integer("max_messages", Some(20), 1..=i64::from(i32::MAX)))
            .unwrap_or(usize::MAX),
        timeout: fields.seconds("timeout_seconds", 5.0, MAX_TIMEOUT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn mistakes(block: Value) -> Vec<String> {
        parse(&block).mistakes.into_iter().map(|mistake| mistake.message).collect()
    }

    fn table() -> Value {
        json!({
            "type": "pgvector", "hostname": "kb.internal.example.com", "port": 5432, "password": "${KB_PASSWORD}",
            "collection": "support_articles", "embedding_model": "openai/text-embedding-3-small",
            "embedding_dimensions": 1536
        })
    }

    fn endpoint() -> Value {
        json!({"type": "external", "hostname": "https://search.internal.example.com", "port": 443, "path": "/agent-search"})
    }

    fn with(mut block: Value, field: &str, value: Value) -> Value {
        block[field] = value;
        block
    }

    #[test]
    fn what_a_block_leaves_out_has_defaults() {
        let Some(Search::Pgvector(found)) = parse(&table()).search else { panic!("not a table") };
        assert_eq!((found.content_key.as_str(), found.top_k, found.prompt), ("content", 5, None));
        assert!(found.metadata_filter.is_empty() && found.dbname.is_none() && found.user.is_none());
        assert_eq!(
            (found.port, found.password.as_str(), found.sslmode.as_str()),
            (5432, "KB_PASSWORD", "require")
        );
        assert_eq!(parse(&table()).mistakes, []);

        let Some(Search::External(found)) = parse(&endpoint()).search else { panic!("not an endpoint") };
        assert_eq!(found.origin, "https://search.internal.example.com:443");
        assert_eq!((found.top_k, found.max_messages, found.timeout), (5, 20, Duration::from_secs(5)));
        let plain = with(endpoint(), "hostname", json!("search.internal.example.com"));
        let Some(Search::External(found)) = parse(&plain).search else { panic!("not an endpoint") };
        assert_eq!(found.origin, "http://search.internal.example.com:443");
    }

    #[test]
    fn every_mistake_is_named() {
        assert_eq!(
            mistakes(json!({
                "type": "pgvector", "hostname": "https://x/y", "port": "5432", "user": 1, "password": "secret",
                "sslmode": "required", "collection": "a b", "content_key": "", "metadata_filter": [],
                "embedding_model": "small", "embedding_dimensions": 0, "top_k": 1.5, "prompt": {"version": 0},
                "colection": 1
            })),
            [
                "hostname \"https://x/y\" is not a host name",
                "port is a string, not an integer",
                "user is not a text",
                "password is not of the form ${VAR}",
                "sslmode \"required\" is not valid",
                "collection \"a b\" is not the name of a table",
                "content_key is empty",
                "metadata_filter is not an object",
                "embedding_model \"small\" is not of the form provider/model",
                "embedding_dimensions 0 is out of range",
                "top_k is not an integer",
                "prompt.id is missing",
                "prompt.version 0 is out of range",
                "unrecognized key \"colection\"",
            ]
        );
        assert_eq!(
            mistakes(json!({"type": "pgvector"})),
            ["hostname", "port", "password", "collection", "embedding_model", "embedding_dimensions"]
                .map(|field| format!("{field} is missing"))
        );
        assert_eq!(
            mistakes(json!({
                "type": "external", "hostname": "ftp://x", "port": 0, "path": "search", "api_key": "sk-1",
                "top_k": 0, "max_messages": 0, "timeout_seconds": 0
            })),
            [
                "hostname \"ftp://x\" is not a host name",
                "port 0 is out of range",
                "path \"search\" does not start with /",
                "api_key is not of the form ${VAR}",
                "top_k 0 is out of range",
                "max_messages 0 is out of range",
                "timeout_seconds 0 is out of range",
            ]
        );
        assert_eq!(mistakes(json!({})), ["type is missing"]);
        assert_eq!(mistakes(json!({"type": "PGVECTOR"})), ["type \"PGVECTOR\" is not valid"]);
        assert_eq!(mistakes(json!([])), ["search is not an object"]);
    }

    #[test]
    fn a_mistake_hints_at_the_fix() {
        let parsed = parse(&with(table(), "colection", json!("x")));
        assert_eq!(parsed.mistakes[0].hint, "Perhaps you meant collection.");
        assert!(parsed.is_right("collection") && !parsed.is_right("colection"));
    }

    #[test]
    fn names_of_tables_are_those_of_sql() {
        let names = |text: &str| {
            let Some(Search::Pgvector(found)) = parse(&with(table(), "collection", json!(text))).search
            else {
                panic!("not a table")
            };
            found.collection.into_iter().map(|part| (part.name, part.is_quoted)).collect::<Vec<_>>()
        };
        let expected = |parts: &[(&str, bool)]| {
            parts.iter().map(|(name, is_quoted)| (name.to_string(), *is_quoted)).collect::<Vec<_>>()
        };
        assert_eq!(names("vecs.Support"), expected(&[("vecs", false), ("Support", false)]));
        assert_eq!(names("\"a.\"\"b\".größe"), expected(&[("a.\"b", true), ("größe", false)]));
        for wrong in ["", ".", "a.", "1a", "a-b", "a.b.c", "a;b", "\"a", "a b", "\"\"", "$a", "a\0"] {
            assert_eq!(names(wrong), [], "{wrong}");
        }
        assert_eq!(names(&"a".repeat(64)), []);
    }

    #[test]
    fn hosts_have_no_port_and_no_secret_is_shown() {
        for host in ["localhost", "10.0.0.1", "[::1]", "::1", "kb_postgres.internal"] {
            assert_eq!(mistakes(with(table(), "hostname", json!(host))), Vec::<String>::new(), "{host}");
        }
        for host in ["", "a:5432", "a/b", "http://a", "/tmp", "a b", ".a", "a..b", "[a]"] {
            assert_eq!(mistakes(with(table(), "hostname", json!(host))).len(), 1, "{host}");
        }
        assert_eq!(
            mistakes(with(endpoint(), "hostname", json!("http://user:pw@host"))),
            ["hostname is not a host name"]
        );
        assert_eq!(
            mistakes(with(endpoint(), "path", json!("/a?key=b c"))),
            ["path holds characters that a URL cannot have"]
        );
    }

    #[test]
    fn a_whole_manifest_has_the_block_inside() {
        let block = table();
        assert_eq!(block_of(&block), Some(&block));
        assert_eq!(block_of(&json!({"agent_config": {"search": block}})), Some(&block));
        assert_eq!(block_of(&json!({"search": block})), Some(&block));
        assert_eq!(block_of(&json!({"agent_config": {"llms": {}}})), None);
        assert_eq!(block_of(&json!({"agent_config": {"search": null}})), None);
        assert_eq!(block_of(&json!({"type": "agent", "agent_config": {"search": block}})), Some(&block));
        assert_eq!(block_of(&json!({"agent_config": {"llms": {}}, "search": block})), Some(&block));
        assert_eq!(block_of(&json!({"agent_config": null, "search": null})), None);
        assert_eq!(block_of(&Value::Null), None);
        assert_eq!(block_of(&json!([])), Some(&json!([])));
    }

    proptest! {
        #[test]
        fn no_value_is_misread(field in "[a-z_]{0,12}", value in "\\PC{0,30}", number in any::<f64>()) {
            for value in [json!(value), json!(number), json!({"id": value}), json!([value])] {
                for block in [table(), endpoint()] {
                    let parsed = parse(&with(block, &field, value.clone()));
                    prop_assert!(parsed.mistakes.iter().all(|mistake| !mistake.hint.is_empty()));
                    if let Some(Search::External(found)) = parsed.search && parsed.mistakes.is_empty() {
                        prop_assert!(found.path.starts_with('/') && found.timeout > Duration::ZERO);
                    }
                }
            }
        }
    }
}
