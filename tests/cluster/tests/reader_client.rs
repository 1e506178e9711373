//! `kb-rag retrieve` and `kb-rag check`: the search slot of a manifest, from outside of the database.

use kb_rag_cluster_tests::client::{Folder, Run, with_manifest};
use kb_rag_cluster_tests::mock::{Mock, Reply};
use kb_rag_cluster_tests::reader::{DIMENSIONS, SEARCH, conversation};
use kb_rag_cluster_tests::{Database, Session, relay};
use postgres::Client;
use serde_json::{Value, json};

const FREE: &str = "One-way rentals can be canceled free of charge.";
const AGE: &str = "A driver must be at least 21 years old.";
const NEWS: &str = "A new branch opens in May.";
const EMBEDDINGS: &str = "/embeddings";
const CHAT: &str = "/chat/completions";
const QUESTION: [&str; 2] = ["--question", "And for one-way rentals?"];
const VARIABLES: [(&str, &str); 2] = [("KB_PG_PASSWORD", "pg-secret"), ("LLM_KEY", "sk-router")];

/// A database with pgvector and without kb_rag, in which a table has the vectors of the mock's model.
struct Agent {
    database: Database,
    owner: Client,
    mock: Mock,
    role: String,
    port: u16,
    folder: Folder,
}

impl Agent {
    fn start() -> Agent {
        let database = Database::bare("");
        let mut owner = database.connect();
        owner.run("CREATE EXTENSION vector");
        Agent::with_table(database, owner)
    }

    fn with_table(database: Database, mut owner: Client) -> Agent {
        let role = database.create_role("agent");
        let mock = Mock::openai();
        owner.run(&format!(
            "CREATE TABLE support_articles (id int PRIMARY KEY, vec vector({DIMENSIONS}), metadata jsonb);
             CREATE INDEX support_articles_vec ON support_articles USING hnsw (vec vector_cosine_ops);
             GRANT SELECT ON support_articles TO {role}"
        ));
        for (id, (text, kind)) in [(FREE, "article"), (AGE, "article"), (NEWS, "news")].iter().enumerate() {
            let vector = format!("{:?}", mock.vector(text, DIMENSIONS));
            let metadata = json!({"content": text, "kb_location": kind}).to_string();
            owner.run(&format!("INSERT INTO support_articles VALUES ({id}, '{vector}', '{metadata}')"));
        }
        Agent { database, owner, mock, role, port: relay::port(), folder: Folder::new() }
    }

    /// A whole manifest in YAML, with more lines of the block and of `llms`.
    fn manifest(&self, of_block: &str, of_llms: &str) -> String {
        format!(
            "# The agent of the rentals.
agent_config:
  search:
    type: pgvector
    hostname: 127.0.0.1
    port: {port}
    user: {role}
    password: ${{KB_PG_PASSWORD}}
    dbname: {database}
    sslmode: disable
    embedding_model: mock/small
{of_block}
  llms:
    base_url: {url}
    api_key: ${{LLM_KEY}}
{of_llms}
",
            port = self.port,
            role = self.role,
            database = self.database.name(),
            url = self.mock.base_url()
        )
    }

    fn table(&self) -> String {
        self.manifest("    collection: support_articles\n    embedding_dimensions: 8", "")
    }

    fn endpoint(&self, more: &str) -> String {
        let address = self.mock.address();
        format!(
            "type: external\nhostname: {}\nport: {}\npath: {SEARCH}\n{more}",
            address.ip(),
            address.port()
        )
    }

    fn run(&self, subcommand: &str, manifest: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Run {
        let path = self.folder.write("agent.yaml", manifest);
        let run = Run::from_command(with_manifest(subcommand, &path, variables).args(arguments));
        for secret in ["pg-secret", "sk-router", "sk-search"] {
            assert!(!run.output.contains(secret) && !run.errors.contains(secret), "{run:?}");
        }
        run
    }

    /// The output of a run that succeeds without a message.
    fn retrieves(&self, manifest: &str, arguments: &[&str]) -> String {
        let run = self.run("retrieve", manifest, arguments, &VARIABLES);
        assert_eq!((run.status, run.errors.as_str()), (Some(0), ""), "{run:?}");
        run.output
    }

    /// Fails unless nothing is printed but this warning, which is a failure only with --strict.
    fn gets_nothing(&self, manifest: &str, said: &str) {
        let run = self.run("retrieve", manifest, &QUESTION, &VARIABLES);
        run.fails(0, &["warning: nothing was retrieved: ", said]);
        assert_eq!(run.output, "");
        let strict =
            self.run("retrieve", manifest, &[&QUESTION[..], &["--strict", "--json"]].concat(), &VARIABLES);
        strict.fails(1, &[said]);
        assert_eq!(strict.output, "[]\n");
    }

    /// Fails unless a check ends with this status and prints each of these.
    fn checks(&self, manifest: &str, arguments: &[&str], status: i32, findings: &[&str]) {
        let run = self.run("check", manifest, arguments, &VARIABLES);
        assert_eq!((run.status, run.errors.as_str()), (Some(status), ""), "{run:?}");
        for finding in findings {
            assert!(run.output.contains(finding), "no {finding:?} in {}", run.output);
        }
    }

    fn calls(&self, path: &str) -> Vec<Value> {
        self.mock
            .calls()
            .into_iter()
            .filter(|call| call.path.ends_with(path))
            .map(|call| call.json())
            .collect()
    }
}

#[test]
fn a_table_without_kb_rag_is_searched() {
    let agent = Agent::start();
    agent.mock.require_key("sk-router");
    let filtered = agent.manifest(
        "    collection: public.Support_Articles\n    embedding_dimensions: 8\n    top_k: 2\n    metadata_filter: {kb_location: news}",
        "",
    );
    assert_eq!(agent.retrieves(&filtered, &QUESTION), format!("{NEWS}\n"));
    // All that there are, the nearest first.
    let all = agent.retrieves(&agent.table(), &["--question", AGE, "--json"]);
    let all: Vec<String> = serde_json::from_str(&all).unwrap();
    assert_eq!((all.len(), all[0].as_str()), (3, AGE));
    let text = agent.retrieves(&agent.table(), &["--question", AGE]);
    assert!(text.starts_with(&format!("{AGE}\n\n---\n\n")) && text.ends_with('\n'), "{text}");
    let asked = agent.calls(EMBEDDINGS);
    assert_eq!((&asked[0]["model"], &asked[0]["input"][0]), (&json!("mock/small"), &json!(QUESTION[1])));
    assert_eq!(agent.calls(CHAT).len(), 0);
    assert_eq!(agent.mock.calls()[0].header("authorization"), Some("Bearer sk-router"));
    agent.checks(
        &filtered,
        &["--models"],
        0,
        &[
            "ok: the fields of the search block are valid",
            "ok: connected to 127.0.0.1",
            "ok: collection public.support_articles has vectors of 8 dimensions in \"vec\" and documents in \"metadata\"",
            "ok: the first 1 row of the collection has the key \"content\"",
            "ok: model \"mock/small\" returns vectors of 8 dimensions",
        ],
    );
}

#[test]
fn the_chat_model_of_the_manifest_rewrites_the_conversation() {
    let agent = Agent::start();
    let body = json!({"choices": [{"message": {"content": FREE}}]}).to_string();
    agent.mock.when(|call| call.path.ends_with(CHAT), Reply::json(body));
    let manifest = agent.manifest(
        "    collection: support_articles\n    embedding_dimensions: 8\n    top_k: 1\n    prompt: {id: kb-rewrite, version: 3}",
        "    default: mock/chat",
    );
    let messages = agent.folder.write("messages.json", conversation(QUESTION[1]).to_string());
    let prompt = agent.folder.write("prompt.txt", "Expand abbreviations.");
    let [messages, prompt] = [&messages, &prompt].map(|path| path.to_str().unwrap());
    let arguments = ["--messages", messages, "--prompt", prompt];
    assert_eq!(agent.retrieves(&manifest, &arguments), format!("{FREE}\n"));
    let asked = agent.calls(CHAT);
    assert_eq!(asked[0]["model"], "mock/chat");
    let instructions = asked[0]["messages"][0]["content"].as_str().unwrap();
    assert!(instructions.ends_with("\n\nExpand abbreviations."), "{instructions}");
    let text = asked[0]["messages"][1]["content"].as_str().unwrap();
    assert!(
        text.starts_with("Customer: What is your") && text.ends_with("Customer: And for one-way rentals?"),
        "{text}"
    );
    assert_eq!(agent.calls(EMBEDDINGS)[0]["input"][0], FREE);
    // Without the text of the prompt, and without the chat model.
    let run = agent.run("retrieve", &manifest, &QUESTION, &VARIABLES);
    run.fails(0, &["note: the text of prompt \"kb-rewrite\" is not in the manifest"]);
    agent.retrieves(&manifest, &[&QUESTION[..], &["--no-rewrite"]].concat());
    assert_eq!((agent.calls(CHAT).len(), &agent.calls(EMBEDDINGS)[2]["input"][0]), (2, &json!(QUESTION[1])));
    agent.checks(
        &manifest,
        &[],
        0,
        &["note: the text of the prompt is not in the manifest", "note: the models were not asked"],
    );
    // It costs only the rewriting.
    agent.mock.heal();
    agent.mock.when(|call| call.path.ends_with(CHAT), Reply::error(500, "sk-router is busy"));
    let run = agent.run("retrieve", &manifest, &arguments, &VARIABLES);
    run.fails(0, &["warning: the query is the last message of the customer: the router at ", "*** is busy"]);
    assert!(!run.output.is_empty());
    assert_eq!(
        agent.run("retrieve", &manifest, &[&arguments[..], &["--strict"]].concat(), &VARIABLES).status,
        Some(1)
    );
}

#[test]
fn the_view_of_a_knowledge_base_is_a_collection() {
    let (database, mut owner) = Database::with_base("rentals");
    owner.run(&format!("SELECT kb_add('rentals', '{FREE}'); SELECT kb_expose('rentals')"));
    let mut agent = Agent::with_table(database, owner);
    agent.owner.run(&format!("SELECT kb_grant('rentals', '{}', 'read')", agent.role));
    let manifest = agent.manifest("    collection: kb_rentals.collection\n    embedding_dimensions: 8", "");
    assert_eq!(agent.retrieves(&manifest, &QUESTION), format!("{FREE}\n"));
    agent.checks(
        &manifest,
        &[],
        0,
        &["ok: collection kb_rentals.collection has vectors of 8 dimensions", "ok: the first 1 row"],
    );
}

#[test]
fn a_check_finds_what_keeps_a_table_from_being_searched() {
    let mut agent = Agent::start();
    let of = |agent: &Agent, block: &str| agent.manifest(block, "");
    let dimensions = "\n    embedding_dimensions: 8";
    let missing = of(&agent, &format!("    collection: suport_articles{dimensions}"));
    agent.checks(
        &missing,
        &[],
        1,
        &["error: collection \"suport_articles\" does not exist (Name the schema"],
    );
    agent.gets_nothing(&missing, "collection \"suport_articles\" does not exist");
    let wrong = of(&agent, "    collection: support_articles\n    embedding_dimensions: 1536");
    let said = "embedding_dimensions is 1536, but the vectors of public.support_articles have 8";
    agent.checks(
        &wrong,
        &[],
        1,
        &[&format!("error: {said} (Use the model that made these vectors, and embedding_dimensions 8.)")],
    );
    agent.gets_nothing(&wrong, said);
    let key = of(&agent, &format!("    collection: support_articles\n    content_key: text{dimensions}"));
    agent.checks(&key, &[], 1, &["error: none of the first 3 rows has the key \"text\" (Set content_key"]);
    agent.gets_nothing(&key, "none of the 3 rows found has a text under \"text\"");
    let filter =
        of(&agent, &format!("    collection: support_articles\n    metadata_filter: {{a: 1}}{dimensions}"));
    agent.checks(&filter, &[], 0, &["warning: no row passes metadata_filter"]);
    agent.checks(&agent.table(), &[], 0, &["ok: the search uses the index \"support_articles_vec\""]);
    agent.owner.run("ANALYZE support_articles");
    agent.checks(
        &agent.table(),
        &[],
        0,
        &["note: the search compares all vectors, of about 3 rows: PostgreSQL expects"],
    );
    agent.owner.run("DROP INDEX support_articles_vec");
    agent.checks(&agent.table(), &[], 0, &["without an index"]);
    // The rights, and what has no dimensions of its own.
    agent.owner.run(
        "ALTER TABLE support_articles ALTER vec TYPE halfvec; CREATE TABLE vectorless (metadata jsonb, more jsonb)",
    );
    let half = agent.retrieves(&agent.table(), &["--question", AGE]);
    assert!(half.starts_with(AGE), "{half}");
    agent.checks(&agent.table(), &[], 0, &["ok: collection public.support_articles has vectors in \"vec\""]);
    agent.checks(&wrong, &[], 1, &[said]);
    agent.owner.run(&format!("REVOKE SELECT ON support_articles FROM {}", agent.role));
    agent.checks(
        &agent.table(),
        &[],
        1,
        &["error: permission denied for column \"vec\" of public.support_articles"],
    );
    let none = of(&agent, &format!("    collection: vectorless{dimensions}"));
    agent.checks(
        &none,
        &[],
        1,
        &["error: collection public.vectorless has no column of type vector or halfvec"],
    );
    // Nothing is there, or it wants no TLS.
    let elsewhere =
        agent.table().replace(&format!("dbname: {}", agent.database.name()), "dbname: kb_nowhere");
    agent.checks(&elsewhere, &[], 1, &["error: cannot connect to database \"kb_nowhere\"", "Check dbname"]);
    agent.gets_nothing(&elsewhere, "cannot connect to database \"kb_nowhere\"");
    let with_tls = agent.table().replace("    sslmode: disable\n", "");
    agent.checks(&with_tls, &[], 1, &["does not support TLS", "the default is require"]);
    for mode in ["prefer", "allow"] {
        agent.checks(
            &agent.table().replace("sslmode: disable", &format!("sslmode: {mode}")),
            &[],
            1,
            &["ok: connected"],
        );
    }
    agent.owner.run("DROP EXTENSION vector CASCADE");
    agent.checks(&agent.table(), &[], 1, &["error: pgvector is not installed in this database"]);
    // Nothing is embedded before the table is found.
    assert_eq!(agent.calls(EMBEDDINGS).len(), 3);
}

#[test]
fn mistakes_of_a_manifest_end_the_run_with_status_2() {
    let agent = Agent::start();
    let table = agent.table();
    for (from, to, said) in [
        ("port: ", "port: x", "port is a string, not an integer"),
        ("collection:", "colection:", "collection is missing"),
        ("${KB_PG_PASSWORD}", "secret-text", "password is not of the form ${VAR}"),
        ("sslmode: disable", "sslmode: on", "sslmode \"on\" is not valid"),
        (
            "${KB_PG_PASSWORD}",
            "${NOWHERE}",
            "password is ${NOWHERE}, but the environment variable NOWHERE is not set",
        ),
        (
            "${LLM_KEY}",
            "${NOWHERE}",
            "llms.api_key is ${NOWHERE}, but the environment variable NOWHERE is not set",
        ),
        ("    base_url", "    url", "llms.base_url is missing"),
        ("base_url: http", "base_url: ftp", "is not a base URL"),
        ("port: ", "port: &a ", "anchors (&name) are not supported"),
        ("type: pgvector", "type: pgvector\n    type: external", "the key \"type\" is there twice"),
    ] {
        let manifest = table.replacen(from, to, 1);
        let run = agent.run("retrieve", &manifest, &QUESTION, &VARIABLES);
        run.fails(2, &["error: ", said]);
        assert!(run.output.is_empty() && !run.errors.contains("secret-text"), "{run:?}");
        let run = agent.run("check", &manifest, &[], &VARIABLES);
        assert!(run.status == Some(1) || run.errors.contains("is not a manifest"), "{run:?}");
        assert!([&run.output, &run.errors].iter().any(|text| text.contains(said)), "no {said:?} in {run:?}");
    }
    let misspelt = table.replacen("collection:", "colection:", 1);
    agent.checks(
        &misspelt,
        &[],
        1,
        &["error: unrecognized key \"colection\" (Perhaps you meant collection.)"],
    );
    // An argument takes the place of what the manifest lacks.
    let url = agent.mock.base_url();
    let without = table.replacen("    base_url", "    url", 1);
    agent.retrieves(&without, &[&QUESTION[..], &["--router", &url]].concat());
    // Without a block, an agent runs without retrieval.
    let run = agent.run("retrieve", "agent_config: {llms: {}}", &QUESTION, &[]);
    run.fails(0, &["note: the manifest has no search block"]);
    assert_eq!(run.output, "");
    let messages = agent.folder.write("messages.json", "[{\"role\": \"user\", \"content\": 1}]");
    let run = agent.run("retrieve", &table, &["--messages", messages.to_str().unwrap()], &VARIABLES);
    run.fails(2, &["the content of message 1 is neither a text nor an array of texts"]);
    agent.run("retrieve", &table, &[], &VARIABLES).fails(2, &["--question"]);
}

#[test]
fn an_endpoint_gets_the_conversation() {
    let agent = Agent::start();
    let variables = [("SEARCH_API_KEY", "sk-search")];
    let block = agent.endpoint("api_key: ${SEARCH_API_KEY}\nmax_messages: 2\ntop_k: 3\ntimeout_seconds: 2");
    let answers = |reply: Reply| {
        agent.mock.heal();
        agent.mock.when(|call| call.path.ends_with(SEARCH), reply);
    };
    answers(Reply::json("[\"One.\", \" \", \"Two.\"]"));
    let messages = agent.folder.write("messages.json", conversation(QUESTION[1]).to_string());
    let arguments =
        ["--messages", messages.to_str().unwrap(), "--session-id", "sess_1", "--agent-id", "agt_1"];
    let run = agent.run("retrieve", &block, &arguments, &variables);
    assert_eq!(
        (run.status, run.output.as_str(), run.errors.as_str()),
        (Some(0), "One.\n\n---\n\nTwo.\n", "")
    );
    let calls = agent.mock.calls();
    assert_eq!(
        calls[0].json(),
        json!({"session_id": "sess_1", "agent_id": "agt_1", "top_k": 3, "messages": [
            {"role": "agent", "content": "Free cancellation up to 24 hours before pickup."},
            {"role": "customer", "content": QUESTION[1]}]})
    );
    assert_eq!(calls[0].header("authorization"), Some("Bearer sk-search"));
    let found = agent.run("check", &block, &[], &variables);
    assert!(
        found.status == Some(0) && found.output.contains("answered a question with 2 texts"),
        "{found:?}"
    );
    agent.run("retrieve", &block, &QUESTION, &[]).fails(2, &["api_key is ${SEARCH_API_KEY}", "is not set"]);

    for (reply, said) in [
        (Reply::json("{\"snippets\": [\"sk-search\"]}"), "the answer is an object, not an array of strings"),
        (Reply::json("[\"a\", 1]"), "item 2 of the answer is a number, not a string"),
        (Reply::raw(401, "text/plain", "sk-search is wrong"), "answered HTTP status 401"),
        (
            Reply::raw(302, "text/plain", "").header("location", "http://127.0.0.1:1/"),
            "Redirects are not followed",
        ),
        (Reply::reset(), "failed"),
        (Reply::hang(), "did not answer in time"),
    ] {
        answers(reply);
        let run = agent.run("retrieve", &block, &QUESTION, &variables);
        run.fails(0, &["warning: nothing was retrieved: the endpoint at http://127.0.0.1", said]);
        assert_eq!(run.output, "");
        let run = agent.run("check", &block, &[], &variables);
        assert!(run.status == Some(1) && run.output.contains(said), "no {said:?} in {run:?}");
    }
}

#[test]
fn a_model_that_fails_is_a_warning() {
    let agent = Agent::start();
    for (reply, said) in [
        (Reply::error(500, "out of memory"), "failed"),
        (Reply::error(401, "sk-router is wrong"), "rejected the key"),
        (Reply::raw(200, "text/html", "<html>busy</html>"), "returned an invalid response"),
        (Reply::json(r#"{"data": [{"embedding": [1, 2]}]}"#), "returned an invalid vector"),
        (Reply::reset(), "failed"),
    ] {
        agent.mock.heal();
        agent.mock.when(|call| call.path.ends_with(EMBEDDINGS), reply);
        agent.gets_nothing(&agent.table(), said);
        agent.checks(&agent.table(), &["--models"], 1, &[said]);
    }
}
