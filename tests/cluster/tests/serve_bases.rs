//! `kb-rag serve`: creating, configuring and dropping bases, and attaching them to agents.

use kb_rag_cluster_tests::client::Folder;
use kb_rag_cluster_tests::serve::Serve;
use kb_rag_cluster_tests::{Database, Session};
use serde_json::{Value, json};

use crate::serve::{base, texts};

/// `base` with a role that administers the base, and one that may create others.
fn with_admins() -> (Database, postgres::Client, Serve, [String; 4]) {
    let (database, mut client, reader, writer) = base();
    let (admin, creator) = (database.create_role("admin"), database.create_role("creator"));
    client.run(&format!("SELECT kb_grant('notes', '{admin}', 'admin'), kb_grant_admin('{creator}')"));
    let served = Serve::with_roles(&database, &[&reader, &writer, &admin, &creator], &[]);
    (database, client, served, [reader, writer, admin, creator])
}

fn hint(answer: &Value) -> &str {
    answer["hint"].as_str().unwrap_or_default()
}

#[test]
fn bases_are_made_and_dropped() {
    let (_database, _client, served, [reader, writer, admin, creator]) = with_admins();
    let new = json!({"name": "zoo", "description": "Animals.", "model": "fake/test", "dimensions": 8, "chunk_size": 500,
        "chunk_overlap": 50, "ranker": "ts_rank", "text_config": "german", "fold_accents": false, "title_weight": 3.5, "log_searches": true});
    for role in [&reader, &writer, &admin] {
        let refused = served.post(role, "/api/v1/bases", new.clone());
        refused.refuses(403, "permission denied");
        assert!(hint(&refused.json()).contains("kb_grant_admin"), "{refused:?}");
    }
    let made = served.post(&creator, "/api/v1/bases", new.clone()).is(201);
    for (name, value) in [
        ("name", json!("zoo")),
        ("description", json!("Animals.")),
        ("owner", json!(creator)),
        ("model", json!("fake/test")),
        ("dimensions", json!(8)),
        ("chunk_size", json!(500)),
        ("chunk_overlap", json!(50)),
        ("ranker", json!("ts_rank")),
        ("text_config", json!("pg_catalog.german")),
        ("fold_accents", json!(false)),
        ("title_weight", json!(3.5)),
        ("log_searches", json!(true)),
    ] {
        assert_eq!(made[name], value, "{name}: {made}");
    }
    assert!(made["notices"].to_string().contains("kb_zoo"), "{made}");
    assert_eq!(texts(&served.get(&creator, "/api/v1/bases").is(200), "name"), ["zoo"]);
    assert_eq!(texts(&served.get(&reader, "/api/v1/bases").is(200), "name"), ["notes"]);

    served.post(&creator, "/api/v1/bases", new).refuses(409, "exists");
    let same = json!({"name": "zoo", "chunk_size": 700, "if_not_exists": true});
    assert_eq!(served.post(&creator, "/api/v1/bases", same).is(200)["chunk_size"], 500);
    for (body, said) in [
        (json!({}), "\"name\" is required"),
        (json!({"name": "a", "chunkSize": 1}), "unknown argument \"chunkSize\""),
        (json!({"name": "a", "chunk_size": "500"}), "\"chunk_size\" must be a whole number"),
        (json!({"name": "a", "fold_accents": 1}), "\"fold_accents\" must be true or false"),
        (json!({"name": "a", "chunk_size": 0}), "chunk_size"),
        (json!({"name": "a", "ranker": "best"}), "best"),
        (json!({"name": "a", "lexeme_format": 2}), "unknown argument \"lexeme_format\""),
    ] {
        served.post(&creator, "/api/v1/bases", body).refuses(400, said);
    }

    let drop = |role: &str, path: &str| served.call(role, "DELETE", &format!("/api/v1/bases/{path}"), "");
    drop(&creator, "zoo").refuses(400, "has to be confirmed");
    drop(&creator, "zoo?confirm=notes").refuses(400, "has to be confirmed");
    drop(&creator, "zoo?confirm=zoo&force=true").refuses(400, "unknown argument");
    drop(&creator, "none?confirm=none").refuses(404, "does not exist");
    // Only its owner.
    let refused = drop(&admin, "notes?confirm=notes");
    refused.refuses(403, "must be owner");
    assert!(hint(&refused.json()).contains("which owns it"), "{refused:?}");
    drop(&creator, "zoo?confirm=zoo").is(204);
    assert_eq!(served.get(&creator, "/api/v1/bases").is(200), json!([]));
    drop(&creator, "zoo?confirm=zoo").refuses(404, "does not exist");

    let odd = json!({"name": "Zoo \u{e4}/1", "model": "fake/test", "dimensions": 8});
    assert_eq!(served.post(&creator, "/api/v1/bases", odd).is(201)["name"], "Zoo \u{e4}/1");
    drop(&creator, "Zoo%20%C3%A4%2F1?confirm=Zoo%20%C3%A4%2F1").is(204);
}

#[test]
fn bases_are_configured() {
    let (_database, _client, served, [reader, writer, admin, creator]) = with_admins();
    let change = json!({"description": "Notes.", "match_threshold": 0.25, "part_weight": 0.5});
    for role in [&reader, &writer] {
        let refused = served.patch(role, "/api/v1/bases/notes", change.clone());
        refused.refuses(403, "must be an administrator");
        assert!(hint(&refused.json()).contains("kb_grant"), "{refused:?}");
    }
    served.patch(&creator, "/api/v1/bases/notes", change.clone()).refuses(404, "\"notes\" does not exist");
    let changed = served.patch(&admin, "/api/v1/bases/notes", change).is(200);
    assert_eq!(
        (
            &changed["description"],
            &changed["match_threshold"],
            &changed["part_weight"],
            &changed["chunk_size"]
        ),
        (&json!("Notes."), &json!(0.25), &json!(0.5), &json!(200))
    );
    let read = served.get(&reader, "/api/v1/bases/notes").is(200);
    assert_eq!((&read["name"], &read["match_threshold"]), (&json!("notes"), &json!(0.25)));
    assert!(read.get("notices").is_none(), "{read}");
    served.get(&creator, "/api/v1/bases/notes").refuses(404, "knowledge base \"notes\" does not exist");
    served.get(&reader, "/api/v1/bases/no%2Fne").refuses(404, "knowledge base \"no/ne\" does not exist");
    served.get(&reader, "/api/v1/bases/notes?level=1").refuses(400, "unknown argument \"level\"");
    let changed = served.patch(&admin, "/api/v1/bases/notes", json!({"match_threshold": -1})).is(200);
    assert_eq!((&changed["description"], &changed["match_threshold"]), (&json!("Notes."), &Value::Null));
    served.patch(&admin, "/api/v1/bases/none", json!({})).refuses(404, "does not exist");
    served.patch(&admin, "/api/v1/bases/notes", json!({"name": "other"})).refuses(400, "unknown argument");
    served.patch(&admin, "/api/v1/bases/notes", json!({"bm25_b": "1"})).refuses(400, "must be a number");
    served.patch(&admin, "/api/v1/bases/notes", json!({"bm25_b": 2})).refuses(400, "bm25_b");
    served.call(&admin, "PUT", "/api/v1/bases/notes", "{}").refuses(405, "takes GET, PATCH, DELETE");
}

#[test]
fn a_session_says_what_its_role_may_do() {
    let (_database, mut client, served, [reader, writer, admin, creator]) = with_admins();
    let may = |role: &str| {
        let session = served.get(role, "/api/v1/session").is(200);
        (session["may_create"].clone(), session["bases"].clone())
    };
    let notes = |write, administer| json!([{"name": "notes", "may_write": write, "may_administer": administer, "may_drop": false, "may_evaluate": administer}]);
    assert_eq!(may(&reader), (json!(false), notes(false, false)));
    assert_eq!(may(&writer), (json!(false), notes(true, false)));
    assert_eq!(may(&admin), (json!(false), notes(true, true)));
    assert_eq!(may(&creator), (json!(true), json!([])));
    let new = json!({"name": "zoo", "model": "fake/test", "dimensions": 8});
    served.post(&creator, "/api/v1/bases", new).is(201);
    let own = json!([{"name": "zoo", "may_write": true, "may_administer": true, "may_drop": true, "may_evaluate": true}]);
    assert_eq!(may(&creator), (json!(true), own));
    client.run(&format!("SELECT kb_revoke_admin('{creator}')"));
    assert_eq!(may(&creator).0, false);
}

/// A base that a role may not read is answered as one that does not exist.
#[test]
fn hidden_bases_do_not_exist() {
    let (database, mut client, reader, writer) = base();
    let stranger = database.create_role("stranger");
    client.run("SELECT kb_create('other', model => 'fake/test', dimensions => 8)");
    client.run(&format!("SELECT kb_grant('other', '{reader}', 'read')"));
    let folder = Folder::with(&[("a.md", "The quoll is spotted.")]);
    let root = folder.path().to_str().unwrap();
    let served = Serve::with_roles(&database, &[&reader, &writer, &stranger], &["--root", root]);
    let requests = [
        ("GET", "/api/v1/bases/NAME", ""),
        ("PATCH", "/api/v1/bases/NAME", r#"{"description": "a"}"#),
        ("DELETE", "/api/v1/bases/NAME?confirm=NAME", ""),
        ("POST", "/api/v1/bases/NAME/agents", r#"{"agent_id": "a"}"#),
        ("DELETE", "/api/v1/bases/NAME/agents/a", ""),
        ("POST", "/api/v1/bases/NAME/evaluate", "{}"),
        ("GET", "/api/v1/bases/NAME/evaluations", ""),
        ("GET", "/api/v1/agents?knowledge_base=NAME", ""),
        ("GET", "/api/v1/agents?knowledge_base=NAME&unattached=true", ""),
        ("GET", "/api/v1/stats?knowledge_base=NAME", ""),
        ("GET", "/api/v1/documents?knowledge_base=NAME", ""),
        ("POST", "/api/v1/documents", r#"{"knowledge_base": "NAME", "content": "a"}"#),
        ("POST", "/api/v1/search", r#"{"knowledge_base": "NAME", "query": "a"}"#),
        ("POST", "/api/v1/search", r#"{"knowledge_bases": ["NAME"], "query": "a"}"#),
        ("POST", "/api/v1/explain", r#"{"knowledge_base": "NAME", "query": "a"}"#),
        ("POST", "/api/v1/outputs", r#"{"knowledge_base": "NAME", "output": "a"}"#),
        ("POST", "/api/v1/files?knowledge_base=NAME&filename=a.txt", "text"),
        ("GET", "/api/v1/sources?knowledge_base=NAME", ""),
        ("POST", "/api/v1/sources", r#"{"knowledge_base": "NAME", "url": "https://kb-rag.invalid/"}"#),
        ("GET", "/api/v1/failed?knowledge_base=NAME", ""),
        ("POST", "/api/v1/failed/retry", r#"{"knowledge_base": "NAME"}"#),
        ("GET", "/api/knowledge?knowledgeBase=NAME", ""),
        ("GET", "/api/knowledge/stats?knowledgeBase=NAME", ""),
        ("POST", "/api/knowledge/search", r#"{"knowledgeBase": "NAME", "query": "a"}"#),
        ("POST", "/api/knowledge/index", r#"{"knowledgeBase": "NAME", "path": "a.md"}"#),
    ];
    let send = |role: &str, request: (&str, &str, &str), name: &str| {
        let (method, path, body) = request;
        served.call(role, method, &path.replace("NAME", name), &body.replace("NAME", name))
    };
    for request in requests {
        let hidden = send(&stranger, request, "other");
        let missing = send(&stranger, request, "bther");
        assert_eq!(
            (hidden.status, hidden.body.replace("other", "bther")),
            (missing.status, missing.body.clone()),
            "{request:?}"
        );
        assert!(matches!(hidden.status, 200 | 404), "{request:?}: {hidden:?}");
        // A role that reads it is told what it lacks.
        let seen = send(&reader, request, "other");
        assert!(seen.status != 404 || !seen.body.contains("\"other"), "{request:?}: {seen:?}");
    }
    let refused = send(&reader, requests[1], "other");
    refused.refuses(403, "must be an administrator");
    assert_eq!(send(&stranger, requests[1], "other").json()["code"], "42704");
}

#[test]
fn agents_are_attached_and_detached() {
    let (_database, mut client, served, [reader, writer, admin, _]) = with_admins();
    let path = "/api/v1/bases/notes/agents";
    let body = json!({"agent_id": "agt_1", "filter": {"zoo": 1}});
    for role in [&reader, &writer] {
        served.post(role, path, body.clone()).refuses(403, "must be an administrator");
    }
    let agent: String = client.value("SELECT kb_agent('agt_1')::text", &[]);
    let expected = json!({"agent_id": agent, "knowledge_base": "notes", "filter": {"zoo": 1}});
    let mut listed = expected.clone();
    listed["use_knowledge_base"] = json!(true);
    assert_eq!(served.post(&admin, path, body.clone()).is(201), expected);
    assert_eq!(served.post(&admin, path, body).is(200), expected);
    assert_eq!(served.get(&reader, "/api/v1/agents").is(200), json!([listed]));
    assert_eq!(served.get(&reader, "/api/v1/agents?knowledge_base=notes").is(200), json!([listed]));
    served.get(&reader, "/api/v1/agents?knowledge_base=none").refuses(404, "does not exist");
    let found = |query: &str| {
        let search = json!({"query": query, "agent_id": "agt_1", "mode": "keyword"});
        texts(&served.post(&reader, "/api/v1/search", search).is(200)["results"], "title")
    };
    assert_eq!(found("kowari"), ["Kowari"]);
    assert!(found("quokka").is_empty());
    // Another filter, by the uuid of the agent.
    assert_eq!(served.post(&admin, path, json!({"agent_id": agent})).is(200)["filter"], json!({}));
    assert_eq!(found("quokka").len(), 1);
    for (body, said) in [
        (json!({"filter": {}}), "\"agent_id\" is required"),
        (json!({"agent_id": "a", "filter": "zoo"}), "must be a JSON object"),
        (json!({"agent_id": "a", "filter": {"zoo": {"$above": 1}}}), "$above"),
        (json!({"agent_id": "a", "agents": []}), "unknown argument"),
    ] {
        served.post(&admin, path, body).refuses(400, said);
    }
    served.post(&admin, "/api/v1/bases/none/agents", json!({"agent_id": "a"})).refuses(404, "does not exist");

    let turn =
        |role: &str, on: Value| served.patch(role, "/api/v1/agents/agt_1", json!({"use_knowledge_base": on}));
    for role in [&reader, &writer] {
        turn(role, json!(false)).refuses(403, "must be an administrator of one of the knowledge bases");
    }
    turn(&admin, json!("no")).refuses(400, "must be true or false");
    assert_eq!(turn(&admin, json!(false)).is(200)[0]["use_knowledge_base"], false);
    assert!(found("quokka").is_empty());
    let tool = json!({"arguments": {"query": "quokka"}, "agent_id": "agt_1"});
    let called = served.post(&reader, "/api/v1/tools/search_notes", tool).is(200);
    assert_eq!((&called["isError"], &called["sources"]), (&json!(false), &json!([])));
    assert_eq!(served.get(&reader, "/api/v1/tools?agent_id=agt_1").is(200), json!([]));
    let messages = json!({"messages": [{"role": "user", "content": "quokka"}], "agent_id": "agt_1"});
    let snippets = served.post(&reader, "/agent-search", messages);
    assert!(snippets.head.contains("\"agt_1\" does not use its knowledge bases"), "{snippets:?}");
    assert_eq!(snippets.is(200), json!([]));
    assert_eq!(
        served.patch(&admin, "/api/v1/agents/agt_1", json!({})).is(200)[0]["use_knowledge_base"],
        false
    );
    assert_eq!(turn(&admin, json!(true)).is(200)[0]["use_knowledge_base"], true);
    assert_eq!(found("quokka").len(), 1);
    served.patch(&admin, "/api/v1/agents/agt_2", json!({})).refuses(404, "has no knowledge base");

    let detach = |role: &str, agent: &str| served.call(role, "DELETE", &format!("{path}/{agent}"), "");
    detach(&writer, "agt_1").refuses(403, "must be an administrator");
    detach(&admin, "agt_2").refuses(404, "is not attached");
    detach(&admin, "agt_1").is(204);
    assert_eq!(served.get(&admin, "/api/v1/agents").is(200), json!([]));
}

/// Everybody of this machine would be an administrator.
#[test]
fn without_a_token_nobody_administers() {
    let (database, mut client, ..) = base();
    let open = Serve::start(&database, "postgres", &["--agents-base", "notes"], &[]);
    const TOKEN: &str = "0123456789abcdef0123456789abcdef";
    let closed = Serve::start(&database, "postgres", &["--agents-base", "notes"], &[("KB_RAG_TOKEN", TOKEN)]);
    let authorization = format!("Bearer {TOKEN}");
    let new = json!({"name": "zoo", "model": "fake/test", "dimensions": 8}).to_string();
    let requests = [
        ("POST", "/api/v1/bases", new.as_str(), 201),
        ("PATCH", "/api/v1/bases/zoo", r#"{"description": "a"}"#, 200),
        ("POST", "/api/v1/bases/zoo/agents", r#"{"agent_id": "a"}"#, 201),
        ("DELETE", "/api/v1/bases/zoo/agents/a", "", 204),
        ("DELETE", "/api/agents/a", "", 204),
        ("DELETE", "/api/v1/bases/zoo?confirm=zoo", "", 204),
    ];
    for (method, path, body, status) in requests {
        open.send(method, path, &[], body.as_bytes()).refuses(403, "without a token");
        closed.send(method, path, &[("Authorization", &authorization)], body.as_bytes()).is(status);
    }
    let open = open.send("GET", "/api/v1/session", &[], b"").is(200);
    let closed = closed.send("GET", "/api/v1/session", &[("Authorization", &authorization)], b"").is(200);
    for (session, expected) in [(open, false), (closed, true)] {
        assert_eq!(session["may_create"], expected);
        assert_eq!(session["bases"][0]["may_administer"], expected);
        assert_eq!(session["bases"][0]["may_evaluate"], true);
        assert_eq!(
            (&session["bases"][0]["may_drop"], &session["bases"][0]["may_write"]),
            (&json!(expected), &json!(true))
        );
    }
    let bases: i64 = client.value("SELECT count(*) FROM kb_list()", &[]);
    assert_eq!(bases, 1);
}
