//! `kb-rag serve`: what people and agents search over HTTP is in the history of searches, under the same condition as in SQL.

use kb_rag_cluster_tests::Session;
use kb_rag_cluster_tests::serve::Serve;
use postgres::Client;
use serde_json::{Value, json};

use super::serve::base;

/// Searches by every endpoint that has them, as a request and the query that it asks.
fn searches() -> Vec<(&'static str, Value)> {
    vec![
        ("/api/v1/search", json!({"query": "kowari", "mode": "keyword", "session_id": "s"})),
        ("/api/knowledge/search", json!({"query": "kowari", "mode": "keyword", "knowledgeBase": "notes"})),
        (
            "/agent-search",
            json!({"messages": [{"role": "user", "content": "kowari"}], "agent_id": "zoo", "session_id": "s"}),
        ),
        ("/api/v1/tools/search_notes", json!({"arguments": {"query": "kowari"}, "session_id": "s"})),
        (
            "/api/v1/tools/search_knowledge",
            json!({"arguments": {"query": "kowari"}, "agent_id": "zoo", "session_id": "s"}),
        ),
    ]
}

/// The rows of the log: role, tool, query, bases, and how many results.
fn rows(client: &mut Client) -> Vec<String> {
    client.column(
        "SELECT concat_ws(' ', role, tool, query, knowledge_bases, jsonb_array_length(results), error) \
         FROM kb_rag.search_history ORDER BY at",
        &[],
    )
}

#[test]
fn searches_over_http_are_logged() {
    let (database, mut client, reader, _writer) = base();
    client.run("SELECT kb_attach_agent(kb_agent('zoo'), 'notes')");
    client.run("SELECT kb_add('notes', 'A kowari has a tail.')");
    client.run("SELECT kb_configure('notes', match_threshold => -0.99)");
    let served = Serve::with_roles(&database, &[&reader], &[]);
    let ask = || {
        for (path, request) in searches() {
            served.post(&reader, path, request).is(200);
        }
    };
    ask();
    assert_eq!(rows(&mut client), [""; 0], "nobody has asked for a log");
    client.run("SELECT kb_configure('notes', log_searches => true)");
    ask();
    let logged = rows(&mut client);
    let tools: Vec<&str> = logged.iter().filter_map(|row| row.split(' ').nth(1)).collect();
    assert_eq!(tools, ["kb_search", "kb_search", "kb_snippets", "search_notes", "search_knowledge"]);
    for row in &logged {
        assert!(row.starts_with(&reader) && row.contains(" kowari {notes} "), "{row}");
        assert!(!row.ends_with(" 0"), "without its results: {row}");
    }
    assert_eq!(logged[0], format!("{reader} kb_search kowari {{notes}} 2"));
    let sessions: i64 =
        client.value("SELECT count(*) FROM kb_rag.search_history WHERE session_id = 's'", &[]);
    assert_eq!(sessions, 4);
    // What a page skips is not on it.
    let page = json!({"query": "kowari", "mode": "keyword", "match_count": 5, "match_offset": 1, "session_id": "page"});
    assert_eq!(served.post(&reader, "/api/v1/search", page).is(200)["results"].as_array().unwrap().len(), 1);
    assert_eq!(rows(&mut client).last().unwrap(), &format!("{reader} kb_search kowari {{notes}} 1"));
    // The role sees its own.
    assert_eq!(served.get(&reader, "/api/v1/searches").is(200).as_array().unwrap().len(), 6);

    client.run("SELECT kb_configure('notes', log_searches => false); DELETE FROM kb_rag.search_log");
    database.set("kb_rag.log_searches", "on");
    let served = Serve::with_roles(&database, &[&reader], &[]);
    for (path, request) in searches() {
        served.post(&reader, path, request).is(200);
    }
    assert_eq!(rows(&mut client).len(), 5, "the server asks for it");
}

#[test]
fn a_search_over_several_bases_is_logged_where_all_ask() {
    let (database, mut client, reader, _writer) = base();
    client.create_base("more");
    client.run(&format!(
        "SELECT kb_grant('more', '{reader}', 'read'), kb_configure('notes', log_searches => true)"
    ));
    let served = Serve::with_roles(&database, &[&reader], &[]);
    let all = || {
        served.post(&reader, "/api/v1/search", json!({"query": "kowari"})).is(200);
        served.post(&reader, "/api/knowledge/search", json!({"query": "kowari"})).is(200);
        let named = json!({"query": "kowari", "knowledge_bases": ["more", "notes"]});
        served.post(&reader, "/api/v1/search", named).is(200);
    };
    all();
    assert_eq!(rows(&mut client), [""; 0]);
    client.run("SELECT kb_configure('more', log_searches => true)");
    all();
    let found = rows(&mut client);
    assert_eq!(found.len(), 3);
    assert!(found.iter().all(|row| row.contains(" kowari {more,notes} ")), "{found:?}");
}

#[test]
fn a_search_that_fails_is_not_logged() {
    let (database, mut client, reader, _writer) = base();
    let stranger = database.create_role("stranger");
    client
        .run("SELECT kb_configure('notes', log_searches => true), kb_attach_agent(kb_agent('zoo'), 'notes')");
    let served = Serve::with_roles(&database, &[&reader, &stranger], &[]);
    let search = json!({"query": "kowari", "knowledge_base": "notes"});
    served.post(&stranger, "/api/v1/search", search.clone()).refuses(404, "\"notes\" does not exist");
    served
        .post(&stranger, "/api/v1/search", json!({"query": "kowari", "agent_id": "zoo"}))
        .refuses(404, "\"notes\" does not exist");
    served
        .post(&stranger, "/api/knowledge/search", json!({"query": "kowari", "knowledgeBase": "notes"}))
        .refuses(404, "\"notes\" does not exist");
    let denied = json!({"messages": [{"role": "user", "content": "kowari"}], "agent_id": "zoo"});
    assert_eq!(served.post(&stranger, "/agent-search", denied).is(200), json!([]));
    served
        .post(
            &reader,
            "/api/v1/search",
            json!({"query": "kowari", "knowledge_base": "notes", "mode": "none"}),
        )
        .refuses(400, "none");
    let logged = |client: &mut Client| client.value::<i64>("SELECT count(*) FROM kb_rag.search_log", &[]);
    assert_eq!(logged(&mut client), 0);
    served.post(&reader, "/api/v1/search", search).is(200);
    assert_eq!(logged(&mut client), 1);
}
