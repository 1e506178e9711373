//! `kb-rag serve`: tools, outputs of agents, and the token of a scheduler.

use kb_rag_cluster_tests::Session;
use kb_rag_cluster_tests::client::Folder;
use kb_rag_cluster_tests::serve::Serve;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::serve::{base, texts};

#[test]
fn tools_are_listed_and_called() {
    let (database, mut client, reader, _) = base();
    let stranger = database.create_role("stranger");
    client.run("SELECT kb_configure('notes', match_threshold => -0.99), kb_attach_agent(kb_agent('agt_1'), 'notes', '{\"zoo\": 2}')");
    database.set("kb_rag.log_searches", "on");
    let served = Serve::with_roles(&database, &[&reader, &stranger], &[]);
    let names =
        |role: &str, query: &str| texts(&served.get(role, &format!("/api/v1/tools{query}")).is(200), "name");
    assert_eq!(names(&reader, ""), ["search_notes", "search_knowledge", "read_knowledge"]);
    assert_eq!(names(&stranger, ""), Vec::<String>::new());
    assert_eq!(names(&reader, "?agent_id=agt_2"), Vec::<String>::new());
    let tools = served.get(&reader, "/api/v1/tools?format=openai").is(200);
    assert_eq!(tools[0]["function"]["name"], "search_notes");
    served.get(&reader, "/api/v1/tools?format=other").refuses(400, "other");
    served.get(&reader, "/api/v1/tools?agent=a").refuses(400, "unknown argument \"agent\"");

    let call =
        |role: &str, tool: &str, body: Value| served.post(role, &format!("/api/v1/tools/{tool}"), body);
    let asked = json!({"arguments": {"query": "What does the kowari eat?"}, "session_id": "call 1"});
    let found = call(&reader, "search_notes", asked.clone()).is(200);
    assert_eq!(found["isError"], false);
    assert!(found["content"][0]["text"].as_str().unwrap().contains("The kowari eats insects"), "{found}");
    assert_eq!(found["sources"][0]["title"], "Kowari");
    // As OpenAI's API sends them.
    let asked_as_text = json!({"arguments": r#"{"query": "kowari"}"#});
    assert_eq!(call(&reader, "search_notes", asked_as_text).is(200)["sources"][0]["title"], "Kowari");
    // What is attached to an agent.
    let by_agent = json!({"arguments": {"query": "kowari"}, "agent_id": "agt_1"});
    assert_eq!(call(&reader, "search_knowledge", by_agent).is(200)["sources"], json!([]));
    // Mistakes of a model are results, those of an application are not.
    assert_eq!(call(&reader, "search_notes", json!({"arguments": {"q": "a"}})).is(200)["isError"], true);
    assert_eq!(call(&reader, "search_notes", json!({})).is(200)["isError"], true);
    call(&reader, "search_none", asked.clone()).refuses(404, "search_none");
    call(&stranger, "search_notes", asked.clone()).refuses(404, "search_notes");
    call(&reader, "search_notes", json!({"query": "kowari"})).refuses(400, "unknown argument \"query\"");
    call(&reader, "search_notes", json!({"arguments": [1]})).refuses(400, "must be a JSON object");
    call(&reader, "search%00notes", asked).refuses(400, "NUL");

    let logged: Vec<String> = client.column(
        "SELECT query FROM kb_rag.search_history WHERE session_id = 'call 1' AND tool = 'search_notes' AND role = $1",
        &[&reader],
    );
    assert_eq!(logged, ["What does the kowari eat?"]);
}

#[test]
fn outputs_of_agents_are_kept() {
    let (database, mut client, reader, writer) = base();
    let served = Serve::with_roles(&database, &[&reader, &writer], &[]);
    let output = "The numbat eats termites. ".repeat(6);
    let body = json!({"knowledge_base": "notes", "output": output, "agent_id": "agt_1", "title": "Numbats",
        "metadata": {"task": 7}});
    let post = |role: &str, body: Value| served.post(role, "/api/v1/outputs", body);
    post(&reader, body.clone()).refuses(403, "permission denied");
    let added = post(&writer, body.clone()).is(201);
    assert_eq!(added["notices"], json!([]));
    let read =
        served.get(&reader, &format!("/api/v1/documents/{}", added["document_id"].as_str().unwrap())).is(200);
    let agent: String = client.value("SELECT kb_agent('agt_1')::text", &[]);
    assert_eq!((&read["source_type"], &read["title"]), (&json!("agent_output"), &json!("Numbats")));
    assert_eq!((&read["metadata"]["agent_id"], &read["metadata"]["task"]), (&json!(agent), &json!(7)));
    let id = added["document_id"].as_str().unwrap();
    let of_agent = |found: &Value, name: &str| assert_eq!(found["sourceId"], name, "{found}");
    of_agent(&served.get(&reader, &format!("/api/knowledge/{id}")).is(200), "agt_1");
    of_agent(&served.get(&reader, "/api/knowledge?sourceType=agent_output").is(200)[0], "agt_1");
    let search =
        json!({"query": "Which animal eats termites?", "sourceType": "agent_output", "mode": "keyword"});
    of_agent(&served.post(&reader, "/api/knowledge/search", search).is(200)[0], "agt_1");
    // Two outputs are two documents, and short ones are none.
    assert_ne!(post(&writer, body).is(201)["document_id"], added["document_id"]);
    let short = post(&writer, json!({"knowledge_base": "notes", "output": "Done."})).is(200);
    assert_eq!(short["document_id"], Value::Null);
    for (body, status, said) in [
        (json!({"knowledge_base": "notes"}), 400, "\"output\" is required"),
        (json!({"knowledge_base": "notes", "output": 1}), 400, "\"output\" must be a string"),
        (json!({"knowledge_base": "notes", "output": output, "sourceId": "a"}), 400, "unknown argument"),
        (json!({"knowledge_base": "notes", "output": output, "metadata": 1}), 400, "must be a JSON object"),
        (json!({"knowledge_base": "none", "output": output}), 404, "does not exist"),
    ] {
        post(&writer, body).refuses(status, said);
    }
}

#[test]
fn the_token_of_a_scheduler_does_nothing_else() {
    let (database, mut client, _, writer) = base();
    let login = database.create_role("login");
    client.run(&format!("ALTER ROLE {login} NOINHERIT; GRANT {writer} TO {login}"));
    let line = |token: &str, word: &str| {
        let hash: String = Sha256::digest(token).iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{hash} {writer}{word}\n")
    };
    let folder = Folder::with(&[("tokens", &(line("all-token", "") + &line("cron-token", " cron")))]);
    let path = folder.path().join("tokens");
    let tokens = ["--tokens", path.to_str().unwrap(), "--agents-base", "notes"];
    let served = Serve::start(&database, &login, &tokens, &[]);
    let cron = "/api/cron/sync-knowledge";
    for who in ["all", "cron"] {
        assert_eq!(served.get(who, cron).is(200), json!({"queued": 0}));
    }
    let described = served.send("GET", "/api/v1/openapi.json", &[], b"").is(200);
    let mut checked = 0;
    for (path, methods) in described["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys().filter(|key| *key != "parameters") {
            // What needs no token.
            if path == cron || methods[method]["security"] == json!([]) {
                continue;
            }
            served
                .call("cron", &method.to_uppercase(), path, "")
                .refuses(403, "GET /api/cron/sync-knowledge only");
            checked += 1;
        }
    }
    assert!(checked > 30, "{checked}");
    served.get("all", "/api/v1/bases").is(200);
}

#[test]
fn a_search_is_explained() {
    let (database, mut client, reader, _) = base();
    let stranger = database.create_role("stranger");
    let served = Serve::with_roles(&database, &[&reader, &stranger], &[]);
    let kowari: String = client.value("SELECT id::text FROM kb_notes.document WHERE title = 'Kowari'", &[]);
    let asked = |more: Value| {
        let mut body = json!({"query": "What does the kowari eat?", "knowledge_base": "notes"});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let explain = |role: &str, body: Value| served.post(role, "/api/v1/explain", body);
    let found = explain(&reader, asked(json!({"chunk_id": kowari, "mode": "keyword"}))).is(200);
    assert_eq!(found["chunk"][0]["reason"], "result 1", "{found}");
    assert_eq!(found["question"]["keywords"]["words"][0]["word"], "kowari");
    let results = served.post(&reader, "/api/v1/search", asked(json!({"mode": "keyword"}))).is(200);
    assert_eq!(texts(&found["results"], "chunk_id"), texts(&results["results"], "chunk_id"));

    explain(&stranger, asked(json!({}))).refuses(404, "\"notes\" does not exist");
    explain(&reader, asked(json!({"chunk_id": "kowari"}))).refuses(400, "uuid");
    explain(&reader, asked(json!({"mode": "fast"}))).refuses(400, "fast");
    explain(&reader, asked(json!({"neighbors": 1}))).refuses(400, "unknown argument \"neighbors\"");
    explain(&reader, json!({"query": "kowari"})).refuses(400, "\"knowledge_base\" is required");
}
