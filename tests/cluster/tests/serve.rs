//! `kb-rag serve`: its endpoints, and the rights of the role that a token stands for.

use kb_rag_cluster_tests::client::Folder;
use kb_rag_cluster_tests::serve::Serve;
use kb_rag_cluster_tests::{Database, Session};
use postgres::Client;
use serde_json::{Value, json};

/// A base with two documents, a role that reads it and one that also writes.
pub fn base() -> (Database, Client, String, String) {
    let (database, mut client) = Database::with_base("notes");
    client.run(
        "SELECT kb_add('notes', 'The kowari eats insects at night.', title => 'Kowari', source_key => 'kowari.md', \
         metadata => '{\"zoo\": 1}');
         SELECT kb_add('notes', '<b>fn</b> quokka() {}', title => '<img src=x onerror=alert(1)>', source_type => 'code')",
    );
    let (reader, writer) = (database.create_role("reader"), database.create_role("writer"));
    client.run(&format!(
        "SELECT kb_grant('notes', '{reader}', 'read'), kb_grant('notes', '{writer}', 'write')"
    ));
    (database, client, reader, writer)
}

pub fn texts(rows: &Value, name: &str) -> Vec<String> {
    let rows = rows.as_array().unwrap_or_else(|| panic!("no array: {rows}"));
    rows.iter().map(|row| row[name].as_str().unwrap_or_default().to_string()).collect()
}

#[test]
fn a_token_is_a_role() {
    let (database, mut client, reader, writer) = base();
    let stranger = database.create_role("stranger");
    client.create_base("secret");
    let served = Serve::with_roles(&database, &[&reader, &writer, &stranger], &["--connections", "1"]);
    for role in [&reader, &writer, &reader] {
        assert_eq!(served.get(role, "/api/v1/session").is(200)["role"], role.as_str());
    }
    assert_eq!(texts(&served.get(&reader, "/api/v1/bases").is(200), "name"), ["notes"]);
    assert_eq!(served.get(&reader, "/api/v1/bases").is(200)[0]["may_write"], false);
    assert_eq!(served.get(&writer, "/api/v1/bases").is(200)[0]["may_write"], true);
    assert_eq!(served.get(&stranger, "/api/v1/bases").is(200), json!([]));

    let text = json!({"knowledge_base": "notes", "content": "Numbats eat termites.", "title": "Numbat"});
    served.post(&reader, "/api/v1/documents", text.clone()).refuses(403, "permission denied");
    served.post(&stranger, "/api/v1/documents", text.clone()).refuses(404, "\"notes\" does not exist");
    let added = served.post(&writer, "/api/v1/documents", text).is(201);
    let path = format!("/api/v1/documents/{}", added["document_id"].as_str().unwrap());
    assert_eq!(served.get(&reader, &path).is(200)["text"], "Numbats eat termites.");
    served.get(&stranger, &path).refuses(404, "does not exist");
    served.call(&reader, "DELETE", &path, "").refuses(403, "permission denied");
    served.call(&writer, "DELETE", &path, "").is(204);
    served.call(&writer, "DELETE", &path, "").refuses(404, "does not exist");

    let search = json!({"query": "secret", "knowledge_base": "secret"});
    served.post(&writer, "/api/v1/search", search).refuses(404, "\"secret\" does not exist");
    let login = served.send("GET", "/api/v1/bases", &[("Authorization", "Bearer wrong")], b"");
    assert!(login.head.contains("www-authenticate: bearer"), "{login:?}");
    login.refuses(401, "token");
    served
        .send("GET", "/api/v1/bases", &[("Authorization", "reader-token")], b"")
        .refuses(401, "is not valid");
    served.send("GET", "/api/v1/bases", &[], b"").refuses(401, "token");
    // What needs no token.
    assert_eq!(served.send("GET", "/api/v1/health", &[], b"").is(200)["status"], "ok");
    assert_eq!(served.send("GET", "/api/v1/openapi.json", &[], b"").is(200)["openapi"], "3.1.0");
    // A role that was dropped, or that the login role is no longer a member of.
    let login = login_of(&mut client, &reader);
    client.run(&format!("REVOKE {reader} FROM {login}"));
    served.get(&reader, "/api/v1/bases").refuses(403, "the role of this token cannot be used");
    served.get(&writer, "/api/v1/bases").is(200);
}

/// The role that serves requests of this one.
fn login_of(client: &mut Client, role: &str) -> String {
    client.value(
        "SELECT m.member::regrole::text FROM pg_auth_members m WHERE m.roleid = $1::text::regrole AND m.member <> 10",
        &[&role],
    )
}

#[test]
fn everything_that_the_page_needs() {
    let (database, mut client, _, writer) = base();
    client.run(&format!(
        "SELECT kb_grant('notes', '{writer}', 'admin'); SELECT kb_provider_grant('web', '{writer}')"
    ));
    database.set("kb_rag.log_searches", "on");
    database.set("kb_rag.allowed_hosts", "kb-rag.invalid:443");
    let served = Serve::with_roles(&database, &[&writer], &["--max-upload", "1kB"]);
    let get = |path: &str| served.get(&writer, path);
    let stats = get("/api/v1/stats?knowledge_base=notes").is(200);
    assert_eq!(
        stats,
        json!([{"source_type": "code", "documents": 1, "chunks": 1, "failed": 0},
        {"source_type": "document", "documents": 1, "chunks": 1, "failed": 0}])
    );
    let listed = get("/api/v1/documents?source_type=document").is(200);
    assert_eq!(texts(&listed, "title"), ["Kowari"]);
    assert_eq!(texts(&get("/api/v1/documents?match_count=1&match_offset=1").is(200), "title"), ["Kowari"]);
    let id = listed[0]["document_id"].as_str().unwrap();
    let chunks = get(&format!("/api/v1/documents/{id}/chunks")).is(200);
    assert_eq!(texts(&chunks, "content"), ["The kowari eats insects at night."]);
    assert_eq!(get(&format!("/api/v1/documents/{id}/chunks?match_offset=1")).is(200), json!([]));
    assert_eq!(get(&format!("/api/v1/documents/{id}?level=abstract")).is(200)["metadata"], json!({"zoo": 1}));
    served.call(&writer, "POST", &format!("/api/v1/documents/{id}/refresh"), "").is(204);

    for mode in ["hybrid", "keyword", "semantic"] {
        let search = json!({"query": "Which kowari eats?", "mode": mode, "match_threshold": -0.99});
        let found = served.post(&writer, "/api/v1/search", search).is(200);
        let first =
            &found["results"].as_array().unwrap().iter().find(|row| row["title"] == "Kowari").unwrap();
        assert_eq!(
            first["highlighted"], "The \u{e000}kowari\u{e001} \u{e000}eats\u{e001} insects at night.",
            "{mode}"
        );
        assert_eq!(first["keyword_rank"].is_null(), mode == "semantic", "{first}");
        assert_eq!(first["semantic_rank"].is_null(), mode == "keyword", "{first}");
    }
    let filtered = json!({"query": "kowari quokka", "mode": "keyword", "filter": {"zoo": 1}});
    assert_eq!(
        texts(&served.post(&writer, "/api/v1/search", filtered).is(200)["results"], "title"),
        ["Kowari"]
    );
    let search = |filter: Value| {
        let search = json!({"query": "kowari quokka", "mode": "keyword", "filter": filter});
        served.post(&writer, "/api/v1/search", search)
    };
    let found = search(json!({"$or": [{"zoo": {"$gte": 1}}, {"$title": "none"}]})).is(200);
    assert_eq!(texts(&found["results"], "title"), ["Kowari"]);
    assert_eq!(search(json!({"zoo": {"$gt": 1}})).is(200)["results"], json!([]));
    search(json!({"zoo": {"$above": 1}})).refuses(400, "$above");

    let path = "/api/v1/files?knowledge_base=notes&filename=a%20b.md&metadata=%7B%22a%22%3A1%7D";
    let added = served.call(&writer, "POST", path, "# Quoll\n\nThe quoll is spotted.").is(201);
    let read = get(&format!("/api/v1/documents/{}", added["document_id"].as_str().unwrap())).is(200);
    assert_eq!((&read["source"], &read["metadata"]["a"]), (&json!("a b.md"), &json!(1)));
    served
        .call(&writer, "POST", "/api/v1/files?knowledge_base=notes&filename=a.pdf", "no pdf")
        .refuses(400, "damaged");
    served.call(&writer, "POST", path, &"x".repeat(1001)).refuses(413, "too large");

    let source = json!({"knowledge_base": "notes", "url": "https://kb-rag.invalid/a", "auto_sync": true,
        "sync_interval": "1 hour", "exclude_patterns": ["/b*"]});
    let source = served.post(&writer, "/api/v1/sources", source).is(201);
    assert_eq!(
        (&source["sync_interval"], &source["exclude_patterns"]),
        (&json!("01:00:00"), &json!(["/b*"]))
    );
    let one = format!("/api/v1/sources/{}", source["source_id"].as_str().unwrap());
    assert_eq!(texts(&get("/api/v1/sources").is(200), "location"), ["https://kb-rag.invalid/a"]);
    assert_eq!(served.call(&writer, "POST", &format!("{one}/sync?force=true"), "").is(200)["queued"], 1);
    served.call(&writer, "DELETE", &one, "").is(204);
    served.call(&writer, "DELETE", &one, "").refuses(404, "does not exist");
    assert_eq!(get("/api/v1/sources").is(200), json!([]));

    assert_eq!(get("/api/v1/failed").is(200), json!([]));
    served.post(&writer, "/api/v1/failed/retry", json!({"knowledge_base": "notes"})).is(200)["queued"]
        .as_i64()
        .unwrap();
    assert!(get("/api/v1/usage?days=1").is(200).is_array());
    let asked = json!({"messages": [{"role": "customer", "content": "What does the kowari eat?"}], "session_id": "s"});
    served.post(&writer, "/agent-search", asked).is(200);
    let history = get("/api/v1/searches").is(200);
    let asked =
        [&["What does the kowari eat?"][..], &["kowari quokka"; 3], &["Which kowari eats?"; 3]].concat();
    assert_eq!(texts(&history, "query"), asked);
    assert_eq!(texts(&history, "role"), vec![writer.clone(); asked.len()]);
}

#[test]
fn mistakes_are_reported() {
    let (database, _client, _, writer) = base();
    let served = Serve::with_roles(&database, &[&writer], &[]);
    let post = |path: &str, body: &str| served.call(&writer, "POST", path, body);
    post("/api/v1/search", "{}").refuses(400, "\"query\" is required");
    post("/api/v1/search", "{").refuses(400, "cannot be read as JSON");
    post("/api/v1/search", r#"{"query": "a", "query": "b"}"#).refuses(400, "\"query\" is given twice");
    served
        .call(&writer, "DELETE", "/api/v1/documents/nope", "{\"a\": 1}")
        .refuses(400, "in the query string");
    served.get(&writer, "/api/knowledge?limit=0").refuses(400, "\"limit\" must be between");
    post("/api/knowledge/index", r#"{"path": "a", "sourceType": " "}"#).refuses(400, "\"sourceType\"");
    post("/api/v1/search", "[]").refuses(400, "JSON object");
    post("/api/v1/search", r#"{"query": "a", "limit": 3}"#).refuses(400, "unknown argument \"limit\"");
    post("/api/v1/search", r#"{"query": "a", "match_count": "3"}"#).refuses(400, "whole number");
    post("/api/v1/search", r#"{"query": "a", "mode": "fuzzy"}"#).refuses(400, "\"fuzzy\"");
    post("/api/v1/search", r#"{"query": "a\u0000b"}"#).refuses(400, "NUL");
    post("/api/v1/search?query=a", r#"{"query": "a"}"#).refuses(400, "not in both");
    served.get(&writer, "/api/v1/documents?match_count=x").refuses(400, "whole number");
    served.get(&writer, "/api/v1/documents?sourceType=code").refuses(400, "unknown argument");
    served.get(&writer, "/api/v1/documents/nope").refuses(404, "\"nope\" does not exist");
    served.get(&writer, "/api/v2").refuses(404, "no endpoint");
    served.call(&writer, "PUT", "/api/v1/search", "{}").refuses(405, "takes POST");
    let digits =
        r#"{"knowledge_base": "notes", "content": "a", "metadata": {"n": 123456789012345678901234567890}}"#;
    let added = post("/api/v1/documents", digits).is(201);
    let read = served.get(&writer, &format!("/api/v1/documents/{}", added["document_id"].as_str().unwrap()));
    assert!(read.body.contains("123456789012345678901234567890"), "{read:?}");
    post("/agent-search", r#"{"messages": "a"}"#).refuses(400, "\"messages\"");
    served.get(&writer, "/api/agents/a/knowledge").refuses(404, "no base for agents");
    post("/api/knowledge/index", r#"{"path": "a", "knowledgeBase": "notes"}"#).refuses(403, "not loaded");
}

/// A long question is read once for each base, not for each result, to mark its words.
#[test]
fn a_long_question() {
    let (database, mut client, reader, _) = base();
    client.run(
        "SELECT count(kb_add('notes', 'The numbat eats termites ' || n, title => 'Numbat')) FROM generate_series(1, 300) n",
    );
    let served = Serve::with_roles(&database, &[&reader], &[]);
    let words: String = (0..6000).map(|n| format!("word{n} ")).collect();
    let search = json!({"query": format!("numbat {words}"), "match_count": 300, "mode": "keyword"});
    let found = served.post(&reader, "/api/v1/search", search).is(200);
    let results = found["results"].as_array().unwrap();
    assert_eq!(results.len(), 300);
    assert!(
        results.iter().all(|row| row["highlighted"].as_str().unwrap().contains("\u{e000}numbat\u{e001}"))
    );
}

/// The endpoints in camelCase.
#[test]
fn knowledge_entries() {
    let (database, mut client, reader, writer) = base();
    let folder = Folder::with(&[("docs/a.md", "The quoll is spotted."), ("docs/b.rs", "fn numbat() {}")]);
    let root = folder.path().to_str().unwrap();
    let served = Serve::with_roles(&database, &[&reader, &writer], &["--root", root, "--base", "notes"]);
    let listed = served.get(&reader, "/api/knowledge?limit=1&offset=1").is(200);
    let entry = &listed[0];
    assert_eq!(
        (&entry["sourceType"], &entry["sourceId"], &entry["knowledgeBase"]),
        (&json!("document"), &json!("kowari.md"), &json!("notes"))
    );
    for member in ["id", "title", "abstract", "overview", "model", "metadata", "createdAt"] {
        assert!(!entry[member].is_null(), "{member}: {entry}");
    }
    assert!(entry.get("content").is_none(), "{entry}");
    assert_eq!(
        texts(&served.get(&reader, "/api/knowledge?sourceType=code").is(200), "title"),
        ["<img src=x onerror=alert(1)>"]
    );
    let path = format!("/api/knowledge/{}", entry["id"].as_str().unwrap());
    assert_eq!(served.get(&reader, &path).is(200)["content"], "The kowari eats insects at night.");
    for mode in ["hybrid", "semantic", "keyword"] {
        let search = json!({"query": "kowari eats", "mode": mode, "limit": 1, "sourceType": "document"});
        let found = served.post(&reader, "/api/knowledge/search", search).is(200);
        assert_eq!(texts(&found, "title"), ["Kowari"], "{mode}");
        assert!(found[0]["score"].is_number() && found[0]["abstract"].is_string(), "{found}");
    }
    let stats = served.get(&reader, "/api/knowledge/stats").is(200);
    assert_eq!((&stats["total"], &stats["bySourceType"]), (&json!(2), &json!({"code": 1, "document": 1})));

    let index = |role: &str, body: Value| served.post(role, "/api/knowledge/index", body);
    index(&reader, json!({"path": "docs"})).refuses(403, "permission denied");
    index(&writer, json!({"path": "../"})).refuses(404, "there is no \"../\"");
    assert_eq!(index(&writer, json!({"path": "docs", "glob": "*.md"})).is(200)["indexed"], 1);
    let loaded = index(&writer, json!({"path": "docs"})).is(200);
    assert_eq!(
        (&loaded["indexed"], &loaded["unchanged"], &loaded["failed"]),
        (&json!(1), &json!(1), &json!([]))
    );
    // A file has one document, whatever its kind is called.
    assert_eq!(index(&writer, json!({"path": "docs/a.md", "sourceType": "manual"})).is(200)["indexed"], 1);
    assert_eq!(index(&writer, json!({"path": "docs/a.md", "sourceType": "manual"})).is(200)["unchanged"], 1);
    let kinds: Vec<String> =
        client.column("SELECT source_type FROM kb_notes.document WHERE source_key = 'docs/a.md'", &[]);
    assert_eq!(kinds, ["manual"]);
    let owner: Vec<String> =
        client.column("SELECT DISTINCT title FROM kb_notes.source WHERE kind = 'directory'", &[]);
    assert_eq!(owner.len(), 1, "{owner:?}");

    served.call(&reader, "DELETE", &path, "").refuses(403, "permission denied");
    served.call(&writer, "DELETE", &path, "").is(204);
    served.get(&writer, &path).refuses(404, "does not exist");
}

/// In mode hybrid, entries have the scores of kb_hybrid_search.
#[test]
fn entries_are_fused_by_rank() {
    let (database, mut client, reader, _) = base();
    client.run(
        "SELECT kb_add('notes', 'A kowari is a small animal. ' || repeat('It lives in the desert. ', 60), title => 'Long');
         SELECT kb_add('notes', 'Insects at night are eaten by the bilby.', title => 'Bilby')",
    );
    let served = Serve::with_roles(&database, &[&reader], &[]);
    let search = json!({"query": "kowari eats insects", "limit": 10});
    let found = served.post(&reader, "/api/knowledge/search", search).is(200);
    let expected: Vec<(Option<String>, f64)> = client
        .query(
            "SELECT title, score FROM kb_hybrid_search('kowari eats insects', max_per_document => 1, match_count => 10)",
            &[],
        )
        .unwrap()
        .iter()
        .map(|row| (row.get(0), row.get(1)))
        .collect();
    let rows = found.as_array().unwrap();
    let given: Vec<(Option<String>, f64)> = rows
        .iter()
        .map(|row| (row["title"].as_str().map(str::to_string), row["score"].as_f64().unwrap()))
        .collect();
    assert!(given.len() > 2, "{found}");
    assert_eq!(given, expected);
    // By scores, they would be others.
    let by_scores: f64 = client.value("SELECT max(score) FROM kb_search('kowari eats insects')", &[]);
    assert_ne!(given[0].1, by_scores);
    // Modes with one search keep its scores.
    let search = json!({"query": "kowari eats insects", "mode": "semantic", "limit": 1});
    let found = served.post(&reader, "/api/knowledge/search", search).is(200);
    assert_eq!(found[0]["score"], found[0]["similarity"], "{found}");
}
