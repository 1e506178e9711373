//! kb_retrieve with a search block of type external: what the endpoint gets, what its answers mean, and who may ask it.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use kb_rag_cluster_tests::mock::Reply;
use kb_rag_cluster_tests::reader::{Agent, SEARCH, call, check, conversation};
use kb_rag_cluster_tests::{INTERRUPT_LIMIT, Outcome, Session, cancel};
use serde_json::{Value, json};

#[test]
fn the_endpoint_gets_the_conversation_and_returns_texts() {
    let mut agent = Agent::start();
    agent.owner.run(&format!("GRANT EXECUTE ON FUNCTION kb_secret_set TO {}", agent.role));
    agent
        .client
        .run(&format!("SELECT kb_secret_set('SEARCH_API_KEY', 'sk-own', 'http://{}')", agent.mock.address()));
    let mut block = agent.endpoint();
    block["api_key"] = json!("${SEARCH_API_KEY}");
    agent.client.run(&check(&block));
    agent.answers(
        SEARCH,
        Reply::json(r#"["One-way rentals: free.", "  ", "Within 24 hours: a day's rate."]"#),
    );
    let found = agent.retrieves(&block, &conversation("And for one-way rentals?"));
    assert_eq!(found.as_deref(), Some("One-way rentals: free.\n\n---\n\nWithin 24 hours: a day's rate."));
    let calls = agent.calls(SEARCH);
    assert_eq!(
        calls[0].json(),
        json!({"session_id": "sess_abc123", "agent_id": "agt_xyz789", "top_k": 5, "messages": [
            {"role": "customer", "content": "What is your cancellation policy?"},
            {"role": "agent", "content": "Free cancellation up to 24 hours before pickup."},
            {"role": "customer", "content": "And for one-way rentals?"}]})
    );
    assert_eq!(calls[0].header("authorization"), Some("Bearer sk-own"));
    assert_eq!(calls[0].header("content-type"), Some("application/json"));

    // A long conversation, and roles of every spelling; the session does not matter.
    let roles = ["USER", "Assistant", "bot", "function", "tool", "customer", "agent", "human"];
    let messages: Vec<Value> =
        (0..1000).map(|n| json!({"role": roles[n % 8], "content": format!("message {n}")})).collect();
    block["max_messages"] = json!(8);
    block["top_k"] = json!(3);
    agent.retrieves(&block, &Value::Array(messages));
    let sent = agent.calls(SEARCH)[1].json();
    let roles: Vec<&str> = sent["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["customer", "agent", "agent", "tool", "tool", "customer", "agent", "customer"]);
    assert_eq!((&sent["messages"][7]["content"], &sent["top_k"]), (&json!("message 999"), &json!(3)));

    // Nothing found is no failure, and without a block nothing is asked.
    agent.mock.heal();
    agent.answers(SEARCH, Reply::json("[\" \"]"));
    assert_eq!(agent.retrieves(&block, &conversation("And?")), None);
    let calls = agent.calls(SEARCH).len();
    assert_eq!(agent.client.value::<Option<String>>("SELECT kb_retrieve(NULL, '[]')", &[]), None);
    assert_eq!(agent.retrieves(&json!({"agent_config": {"llms": {}}}), &json!([])), None);
    assert_eq!((agent.calls(SEARCH).len(), agent.notices.take().len()), (calls, 0));
}

#[test]
fn any_other_answer_is_a_warning() {
    let mut agent = Agent::start();
    let block = agent.endpoint();
    let messages = conversation("And for one-way rentals?");
    for (reply, said) in [
        (Reply::raw(500, "text/plain", "broken"), "answered HTTP status 500"),
        (Reply::raw(204, "text/plain", ""), "answered HTTP status 204"),
        (
            Reply::raw(302, "text/plain", "").header("location", "http://127.0.0.1:1/"),
            "answered HTTP status 302",
        ),
        (Reply::raw(401, "application/json", "[\"text\"]"), "answered HTTP status 401"),
        (Reply::raw(200, "text/html", "<html>busy</html>"), "the answer is not JSON"),
        (Reply::json("{\"snippets\": []}"), "the answer is an object, not an array of strings"),
        (Reply::json("[\"one\", 2]"), "item 2 of the answer is a number, not a string"),
        (Reply::json("[[\"one\"]]"), "item 1 of the answer is an array, not a string"),
        (Reply::json(""), "the answer is empty"),
        (Reply::reset(), "provider \"search\" failed"),
        (Reply::garbage(), "provider \"search\" failed"),
        (Reply::endless(10 << 30), "provider \"search\" returned an invalid response"),
        (Reply::gzip_bomb(10 << 30), "provider \"search\" returned an invalid response"),
    ] {
        agent.mock.heal();
        agent.answers(SEARCH, reply);
        agent.client.run("BEGIN");
        agent.gets_nothing(&block, &messages, said);
        agent.client.run("COMMIT");
    }
    // Nobody listens.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    agent.owner.run(&format!(
        "SELECT kb_provider_set('closed', kind => 'external', base_url => 'http://127.0.0.1:{port}');
         SELECT kb_provider_grant('closed', '{}')",
        agent.role
    ));
    let mut closed = block.clone();
    closed["port"] = json!(port);
    agent.gets_nothing(&closed, &messages, "provider \"closed\" cannot be reached");
    // What was wrong with the arguments.
    agent.gets_nothing(&block, &json!([{"role": "user", "content": 1}]), "the content of message 1");
    agent.gets_nothing(&json!({"type": "external"}), &messages, "hostname is missing");
    agent.mock.heal();
    agent.answers(SEARCH, Reply::json("[\"found\"]"));
    assert_eq!(agent.retrieves(&block, &messages).as_deref(), Some("found"));
}

#[test]
fn an_endpoint_that_hangs_costs_its_time_and_no_more() {
    let mut agent = Agent::start();
    let block = agent.endpoint();
    let messages = conversation("And for one-way rentals?");
    agent.answers(SEARCH, Reply::hang());
    // The block's time counts, not the provider's. A byte at a time is no answer either.
    agent.owner.run("SELECT kb_provider_set('search', timeout => '1 hour')");
    agent.connect_with("");
    let mut quick = block.clone();
    quick["timeout_seconds"] = json!(0.3);
    agent.gets_nothing(&quick, &messages, "provider \"search\" did not answer in time");
    agent.mock.heal();
    agent.answers(SEARCH, Reply::json("[\"found\"]").paced(Duration::from_millis(100)));
    agent.gets_nothing(&quick, &messages, "provider \"search\" did not answer in time");

    // A shorter statement_timeout cancels the statement, and so does a user.
    agent.mock.heal();
    agent.answers(SEARCH, Reply::hang());
    let statement = call(&block, &messages);
    agent.client.run("SET statement_timeout = '300ms'");
    assert_eq!(agent.client.state_of(&statement, &[]), "57014");
    let mut session = agent.database.connect_as(&agent.role);
    let pid = session.pid();
    agent.mock.forget_calls();
    let running = Outcome::spawn(session, &statement);
    // It waits for an answer that never comes.
    agent.mock.wait_for_calls(1);
    let asked = Instant::now();
    cancel(&mut agent.owner, pid);
    let outcome = running.join().unwrap();
    assert_eq!(outcome.state, "57014");
    assert!(outcome.at.saturating_duration_since(asked) < INTERRUPT_LIMIT);
}

#[test]
fn only_a_role_with_a_grant_asks_an_endpoint() {
    let mut agent = Agent::start();
    let block = agent.endpoint();
    let messages = conversation("And for one-way rentals?");
    agent.answers(SEARCH, Reply::json("[\"found\"]"));
    agent.owner.run(&format!("SELECT kb_provider_revoke('search', '{}')", agent.role));
    assert_eq!(agent.client.state_of(&check(&block), &[]), "42501");
    agent.gets_nothing(&block, &messages, "permission denied for provider \"search\"");
    // No provider has this origin.
    for other in
        [("hostname", json!("localhost")), ("hostname", json!("https://127.0.0.1")), ("port", json!(1))]
    {
        let mut elsewhere = block.clone();
        elsewhere[other.0] = other.1;
        assert_eq!(agent.client.state_of(&check(&elsewhere), &[]), "42704", "{elsewhere}");
        agent.gets_nothing(&elsewhere, &messages, "no provider of kind external is at");
    }
    // One of another kind does not count, and one of another role has no private addresses.
    agent.owner.run(&format!(
        "SELECT kb_provider_drop('search');
         GRANT EXECUTE ON FUNCTION kb_provider_set, kb_provider_drop, kb_secret_set TO {}",
        agent.role
    ));
    assert_eq!(agent.client.state_of(&check(&block), &[]), "42704");
    let address = agent.mock.address();
    agent
        .client
        .run(&format!("SELECT kb_provider_set('mine', kind => 'external', base_url => 'http://{address}')"));
    assert_eq!(agent.client.state_of(&check(&block), &[]), "42501");
    agent.gets_nothing(&block, &messages, "provider \"mine\" resolves to a private address");
    assert_eq!(agent.mock.connections(), 0);
    agent.database.set("kb_rag.allowed_hosts", &address.to_string());
    (agent.client, agent.notices) = agent.database.connect_listening(&agent.role);
    agent.client.run(&check(&block));
    assert_eq!(agent.retrieves(&block, &messages).as_deref(), Some("found"));

    // A secret goes to its own origin, and only for its owner.
    agent.owner.run(&format!("SELECT kb_secret_set('OTHERS', 'sk-others', 'http://{address}')"));
    agent.client.run("SELECT kb_secret_set('ELSEWHERE', 'sk-elsewhere', 'https://example.com')");
    let calls = agent.calls(SEARCH).len();
    for (name, state, said) in [
        ("OTHERS", "42501", "secret \"OTHERS\" cannot be sent to"),
        ("ELSEWHERE", "42501", "secret \"ELSEWHERE\" cannot be sent to"),
        ("MISSING", "42704", "secret \"MISSING\" does not exist"),
    ] {
        let mut with_key = block.clone();
        with_key["api_key"] = json!(format!("${{{name}}}"));
        assert_eq!(agent.client.state_of(&check(&with_key), &[]), state);
        agent.gets_nothing(&with_key, &messages, said);
    }
    assert_eq!(agent.calls(SEARCH).len(), calls);
    // The superuser has all privileges, but its own secrets alone.
    agent.client.run(&format!("SELECT kb_secret_set('MINE', 'sk-mine', 'http://{address}')"));
    let mut with_key = block.clone();
    with_key["api_key"] = json!("${MINE}");
    assert_eq!(agent.owner.state_of(&check(&with_key), &[]), "42501");
    assert_eq!(agent.retrieves(&with_key, &messages).as_deref(), Some("found"));
    assert_eq!(agent.calls(SEARCH)[calls].header("authorization"), Some("Bearer sk-mine"));
    // It takes the place of the provider's own, which need not exist.
    agent.client.run("SELECT kb_provider_set('mine', api_key => 'secret:gone')");
    agent.notices.take();
    assert_eq!(agent.retrieves(&with_key, &messages).as_deref(), Some("found"));
    assert_eq!(agent.client.state_of(&check(&block), &[]), "55000");
    agent.gets_nothing(&block, &messages, "provider \"mine\" has no key");
}

#[test]
fn a_provider_of_another_role_gets_no_conversation() {
    let mut agent = Agent::start();
    let block = agent.endpoint();
    let messages = conversation("And for one-way rentals?");
    agent.answers(SEARCH, Reply::json("[\"found\"]"));
    agent.database.set("kb_rag.allowed_hosts", &agent.mock.address().to_string());
    (agent.client, agent.notices) = agent.database.connect_listening(&agent.role);
    // It comes first by its name, and everybody may use it.
    let other = agent.database.create_owner("other");
    agent.database.connect_as(&other).run(&format!(
        "SELECT kb_secret_set('theirs', 'sk-theirs', 'http://{address}');
         SELECT kb_provider_set('aaa', kind => 'external', base_url => 'http://{address}', api_key => 'secret:theirs');
         SELECT kb_provider_grant('aaa', 'public')",
        address = agent.mock.address()
    ));
    agent.client.run(&check(&block));
    assert_eq!(agent.retrieves(&block, &messages).as_deref(), Some("found"));
    assert_eq!(agent.calls(SEARCH)[0].header("authorization"), None);
    agent.owner.run("SELECT kb_provider_drop('search')");
    assert_eq!(agent.client.state_of(&check(&block), &[]), "42501");
    agent.gets_nothing(&block, &messages, "permission denied for provider \"aaa\"");
    // A member of the other role trusts it.
    agent.owner.run(&format!("GRANT {other} TO {}", agent.role));
    assert_eq!(agent.retrieves(&block, &messages).as_deref(), Some("found"));
    assert_eq!(agent.calls(SEARCH)[1].header("authorization"), Some("Bearer sk-theirs"));
}

#[test]
fn a_long_answer_is_used_and_logged_in_part() {
    let mut agent = Agent::start();
    agent.database.set("kb_rag.log_searches", "on");
    (agent.client, agent.notices) = agent.database.connect_listening(&agent.role);
    let block = agent.endpoint();
    let messages = conversation("And for one-way rentals?");
    agent.mock.next(Reply::json(json!(vec!["a"; 10_000]).to_string()));
    assert_eq!(agent.retrieves(&block, &messages).map(|text| text.len()), Some(10_000 + 9_999 * 7));
    agent.mock.next(Reply::json(json!(vec!["a".repeat(300_000); 10]).to_string()));
    assert!(agent.retrieves(&block, &messages).is_some_and(|text| text.len() > 3_000_000));
    let logged: Vec<i32> =
        agent.client.column("SELECT jsonb_array_length(results) FROM kb_rag.search_history ORDER BY at", &[]);
    assert_eq!(logged, [1_000, 3]);
    agent.mock.next(Reply::json(json!(vec!["a"; 10_001]).to_string()));
    agent.gets_nothing(&block, &messages, "the answer has more than 10000 items");
    // An argument that could not be read within a second.
    let long = json!([{"role": "user", "content": "x".repeat(17 << 20)}]);
    agent.gets_nothing(&block, &long, "argument \"messages\" has 178");
}

#[test]
fn a_retrieval_needs_no_writing_transaction() {
    let mut agent = Agent::start();
    let block = agent.endpoint();
    let messages = conversation("And for one-way rentals?");
    agent.answers(SEARCH, Reply::json("[\"found\"]"));
    agent.client.run("BEGIN READ ONLY");
    assert_eq!(agent.retrieves(&block, &messages).as_deref(), Some("found"));
    agent.client.run("COMMIT");
    // The log has the call where there is one: its query, and what was found.
    agent.database.set("kb_rag.log_searches", "on");
    (agent.client, agent.notices) = agent.database.connect_listening(&agent.role);
    agent.retrieves(&block, &messages);
    agent.mock.heal();
    agent.mock.next(Reply::json("{}"));
    agent.retrieve(&block, &messages);
    let logged: Vec<String> = agent.client.column(
        "SELECT concat_ws('|', agent_id, session_id, tool, knowledge_bases, query, results->0->>'content', error)
         FROM kb_rag.search_history ORDER BY at",
        &[],
    );
    let call = "agt_xyz789|sess_abc123|kb_retrieve|{}|And for one-way rentals?|";
    assert_eq!(logged[0], format!("{call}found"));
    assert!(logged[1].starts_with(&format!("{call}the search endpoint of provider")), "{logged:?}");
    // Others do not see it.
    let other = agent.database.create_role("other");
    let mut other = agent.database.connect_as(&other);
    assert_eq!(other.value::<i64>("SELECT count(*) FROM kb_rag.search_history", &[]), 0);
}
