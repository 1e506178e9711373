//! `kb-rag serve`: URLs of agents, and what their manifests ask.

use kb_rag_cluster_tests::client::{Run, serve};
use kb_rag_cluster_tests::serve::Serve;
use kb_rag_cluster_tests::{Database, Session, socket_directory, wait_until};
use postgres::Client;
use serde_json::{Value, json};

use crate::serve::{base, texts};

/// `base` with the base of agents, and a role that administers it.
fn with_agents() -> (Database, Client, Serve, String, String) {
    let (database, mut client, reader, writer) = base();
    client.create_base("agents");
    database.set("kb_rag.allowed_hosts", "kb-rag.invalid:443");
    client.run(&format!(
        "SELECT kb_grant('agents', '{writer}', 'admin'); SELECT kb_provider_grant('web', '{writer}')"
    ));
    let served = Serve::with_roles(&database, &[&reader, &writer], &["--agents-base", "agents"]);
    (database, client, served, reader, writer)
}

/// The endpoints in snake_case.
#[test]
fn urls_of_agents() {
    let (_database, mut client, served, _, writer) = with_agents();
    let own = "/api/agents/agt_1/knowledge";
    let body = json!({"url": "https://kb-rag.invalid/docs", "title": "Docs", "contentType": "docs", "crawlDepth": 2,
        "excludePatterns": ["/blog/*"], "autoSync": true, "syncIntervalHours": 48});
    let item = served.post(&writer, own, body).is(201);
    let agent: String = client.value("SELECT kb_agent('agt_1')::text", &[]);
    let expected = json!({"agent_id": agent, "title": "Docs", "url": "https://kb-rag.invalid/docs", "content_type": "docs",
        "scrape_method": "basic", "crawl_depth": 2, "exclude_patterns": ["/blog/*"], "auto_sync": true});
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&item[name], value, "{name}: {item}");
    }
    assert_eq!(item["sync_interval_hours"].as_f64(), Some(48.0), "{item}");
    let id = item["id"].as_str().unwrap();
    // Again: the same one, with the new settings, unless they are for a new one only.
    let webpage = json!({"url": "https://kb-rag.invalid/docs", "content_type": "webpage"});
    let only_new =
        |body: &Value| served.call_with(&writer, "POST", own, &[("If-None-Match", "*")], &body.to_string());
    only_new(&webpage).refuses(409, "\"https://kb-rag.invalid/docs\" of this agent exists already");
    assert_eq!(texts(&served.get(&writer, own).is(200), "content_type"), ["docs"]);
    let again = served.post(&writer, own, webpage).is(200);
    assert_eq!((&again["id"], &again["content_type"]), (&item["id"], &json!("webpage")));
    let other = only_new(&json!({"url": "https://kb-rag.invalid/other"})).is(201);
    served.call(&writer, "DELETE", &format!("{own}/{}", other["id"].as_str().unwrap()), "").is(204);
    let headers = [("If-None-Match", "\"a\"")];
    served.call_with(&writer, "POST", own, &headers, "{}").refuses(400, "If-None-Match");
    assert_eq!(texts(&served.get(&writer, own).is(200), "id"), [id]);
    assert_eq!(served.get(&writer, "/api/agents/agt_2/knowledge").is(200), json!([]));
    let attached: Vec<String> = client.column(
        "SELECT filter ->> 'agent_id' FROM kb_agent_list('agents') WHERE agent_id = kb_agent('agt_1')",
        &[],
    );
    assert_eq!(attached, [agent]);
    // Of another agent, it does not exist.
    let of_other = "/api/agents/agt_2/knowledge";
    served
        .post(&writer, &format!("{of_other}/index"), json!({"knowledge_id": id}))
        .refuses(404, "does not exist");
    served.call(&writer, "DELETE", &format!("{of_other}/{id}"), "").refuses(404, "does not exist");
    for name in ["knowledge_id", "knowledgeId"] {
        assert_eq!(served.post(&writer, &format!("{own}/index"), json!({name: id})).is(200)["id"], id);
    }
    assert_eq!(served.get(&writer, "/api/cron/sync-knowledge").is(200), json!({"queued": 0}));
    served.send("GET", "/api/cron/sync-knowledge", &[], b"").refuses(401, "token");
    served.call(&writer, "DELETE", &format!("{own}/{id}"), "").is(204);
    assert_eq!(served.get(&writer, own).is(200), json!([]));
}

#[test]
fn snippets_for_an_agent() {
    let (database, mut client, reader, _) = base();
    client.run("SELECT kb_configure('notes', match_threshold => -1), kb_attach_agent(kb_agent('agt_1'), 'notes', '{\"zoo\": 1}')");
    let served = Serve::with_roles(&database, &[&reader], &[]);
    let ask = |agent: &str, count: i32| {
        let body = json!({"session_id": "s", "agent_id": agent, "top_k": count, "new_member": true, "messages": [
            {"role": "customer", "content": "Hello"}, {"role": "agent", "content": "Hello."},
            {"role": "customer", "content": "What does the kowari eat?"}]});
        let answer = served.post(&reader, "/agent-search", body);
        let notice =
            answer.head.lines().find_map(|line| line.strip_prefix("x-kb-rag-notice: ")).map(str::to_string);
        (answer.is(200), notice)
    };
    assert_eq!(ask("agt_1", 5), (json!(["The kowari eats insects at night."]), None));
    // Each time, whichever session answers.
    for _ in 0..3 {
        let (found, notice) = ask("agt_2\u{eb}", 5);
        assert_eq!(found, json!([]));
        assert_eq!(
            notice.as_deref(),
            Some(
                "no knowledge base that this role may read is attached to agent \"agt_2?\"; attach one with \
                 kb_attach_agent"
            )
        );
    }
    // A search that fails says why.
    let (found, notice) = ask(" ", 5);
    assert_eq!(found, json!([]));
    assert!(notice.is_some_and(|notice| notice.contains("the name of the agent is empty")));
}

/// A manifest that calls another path.
#[test]
fn snippets_at_another_path() {
    let (database, mut client, reader, _) = base();
    client.run(
        "SELECT kb_configure('notes', match_threshold => -1), kb_attach_agent(kb_agent('agt_1'), 'notes')",
    );
    let served = Serve::with_roles(&database, &[&reader], &["--agent-search-path", "/search/"]);
    let body = json!({"agent_id": "agt_1", "top_k": 1, "messages": [{"role": "customer", "content": "What does the kowari eat?"}]});
    for path in ["/search", "/search/", "/agent-search"] {
        let found = served.post(&reader, path, body.clone()).is(200);
        assert_eq!(found, json!(["The kowari eats insects at night."]), "{path}");
        served.send("POST", path, &[], body.to_string().as_bytes()).refuses(401, "token");
        served.get(&reader, path).refuses(405, "takes POST");
    }
    served.post(&reader, "/searches", body).refuses(404, "no endpoint /searches");
    let described = served.send("GET", "/api/v1/openapi.json", &[], b"").is(200);
    let at = |path: &str| described["paths"][path]["post"].clone();
    assert_eq!(at("/search")["responses"], at("/agent-search")["responses"]);
    assert!(at("/search").is_object() && at("/search")["operationId"] != at("/agent-search")["operationId"]);
    for (path, said) in
        [("search", "must begin with a slash"), ("/api/v1/search", "is the path of another endpoint")]
    {
        let mut command = serve(
            &socket_directory(),
            database.name(),
            "postgres",
            &["--listen", "127.0.0.1:0", "--agent-search-path", path],
        );
        Run::from_command(&mut command).fails(2, &[path, said, "hint: "]);
    }
}

/// The body of a search slot.
fn question(agent: &str) -> Value {
    json!({"agent_id": agent, "top_k": 1, "messages": [{"role": "customer", "content": "What does the kowari eat?"}]})
}

/// With a base for agents that nobody attached. Also where the login role does not get notices otherwise.
#[test]
fn snippets_of_agents_without_a_base() {
    let (database, mut client, reader, writer) = base();
    client.create_base("secret");
    client.create_base("faq");
    client.run(&format!(
        "SELECT kb_configure('notes', match_threshold => -1), kb_configure('faq', match_threshold => -1);
         SELECT kb_add('faq', 'The kowari eats what it finds.'), kb_attach_agent(kb_agent('agt_1'), 'notes'),
             kb_attach_agent(kb_agent('agt_secret'), 'secret');
         SELECT kb_grant('faq', '{reader}', 'read')"
    ));
    database.set("client_min_messages", "error");
    let arguments = ["--snippets-base", "faq", "--connections", "3"];
    let served = Serve::with_roles(&database, &[&reader, &writer], &arguments);
    let ask = |role: &str, agent: &str| served.post(role, "/agent-search", question(agent));
    let is_found = |agent: &str| {
        let answer = ask(&reader, agent);
        assert!(answer.head.contains("x-kb-rag-notice: agent "), "{answer:?}");
        assert_eq!(answer.is(200), json!(["The kowari eats what it finds."]));
    };
    (0..5).for_each(|_| is_found("agt_2"));
    is_found("agt\n\u{1b}[2J3");
    let attached = ask(&reader, "agt_1");
    assert!(!attached.head.contains("x-kb-rag-notice"), "{attached:?}");
    assert_eq!(attached.is(200), json!(["The kowari eats insects at night."]));
    // Attached to a base that the role may not read, and a role that may not read the base of the option.
    assert_eq!(ask(&reader, "agt_secret").is(200), json!([]));
    let denied = ask(&writer, "agt_2");
    assert!(denied.head.contains("permission denied"), "{denied:?}");
    assert_eq!(denied.is(200), json!([]));
    // Without an agent, all that the role may read.
    let all = json!({"top_k": 5, "messages": question("a")["messages"]});
    assert_eq!(served.post(&reader, "/agent-search", all).is(200).as_array().unwrap().len(), 2);
    // Once for each.
    wait_until("the last line", || served.log.with("; there are no snippets").len() == 2);
    let said = served.log.with("knowledge base \"faq\" is searched");
    assert_eq!(said.len(), 2, "{:?}", served.log.lines());
    assert!(said[0].starts_with("notice: agent \"agt_2\" has no knowledge base; "), "{said:?}");
    assert!(said[1].contains("\"agt\\n\\u{1b}[2J3\""), "{said:?}");
    assert!(
        served.log.with("knowledge base \"secret\"")[0].starts_with("warning: permission denied"),
        "{said:?}"
    );
    // Administrators of the base see them, as they were called.
    client.run(&format!("SELECT kb_grant('faq', '{writer}', 'admin')"));
    let unattached = "/api/v1/agents?unattached=true";
    assert_eq!(served.get(&reader, unattached).is(200), json!([]));
    served.get(&reader, &format!("{unattached}&knowledge_base=faq")).refuses(403, "must be an administrator");
    let listed = served.get(&writer, unattached).is(200);
    let mut names: Vec<&str> =
        listed.as_array().unwrap().iter().map(|agent| agent["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["agt\n\u{1b}[2J3", "agt_2"], "{listed}");
    assert!(listed[0]["asked_at"].is_string() && listed[0]["knowledge_base"] == "faq", "{listed}");
    assert!(!served.get(&writer, "/api/v1/agents").is(200).to_string().contains("agt"), "{listed}");
    // What is attached later is searched.
    client.run("SELECT kb_attach_agent(kb_agent('agt_2'), 'notes')");
    assert_eq!(served.get(&writer, unattached).is(200).as_array().unwrap().len(), 1);
    assert_eq!(ask(&reader, "agt_2").is(200), json!(["The kowari eats insects at night."]));
}

#[test]
fn snippets_that_are_missing_are_logged() {
    let (database, mut client, reader, _) = base();
    client.run("SELECT kb_configure('notes', match_threshold => -1)");
    let served = Serve::with_roles(&database, &[&reader], &["--connections", "1"]);
    for _ in 0..3 {
        assert_eq!(served.post(&reader, "/agent-search", question("agt_1")).is(200), json!([]));
    }
    let broken = json!({"messages": [{"role": "agent", "content": "Hello."}]});
    assert_eq!(served.post(&reader, "/agent-search", broken).is(200), json!([]));
    // No line for what is found, and for other endpoints.
    assert_eq!(
        served
            .post(&reader, "/agent-search", json!({"messages": question("a")["messages"]}))
            .is(200)
            .as_array()
            .unwrap()
            .len(),
        1
    );
    wait_until("both lines", || served.log.with("no snippets").len() == 1);
    let lines = served.log.lines();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(
        lines[0]
            .starts_with("notice: no knowledge base that this role may read is attached to agent \"agt_1\""),
        "{lines:?}"
    );
    assert!(lines[1].starts_with("warning: messages has no message of a customer"), "{lines:?}");
}

/// Who follows links wants the site.
#[test]
fn a_depth_makes_a_site() {
    let (_database, _client, served, _, writer) = with_agents();
    let add = |body: Value| {
        served.post(&writer, "/api/agents/agt_1/knowledge", body).is(201)["content_type"].clone()
    };
    for (body, expected) in [
        (json!({"url": "https://kb-rag.invalid/a", "crawlDepth": 3}), "docs"),
        (json!({"url": "https://kb-rag.invalid/b", "crawl_depth": 2}), "docs"),
        (json!({"url": "https://kb-rag.invalid/c", "crawl_depth": 1}), "webpage"),
        (json!({"url": "https://kb-rag.invalid/d"}), "webpage"),
        (json!({"url": "https://kb-rag.invalid/e", "crawl_depth": 3, "content_type": "webpage"}), "webpage"),
    ] {
        assert_eq!(add(body.clone()), expected, "{body}");
    }
}

#[test]
fn an_agent_is_removed() {
    let (database, mut client, served, reader, writer) = with_agents();
    for agent in ["agt_1", "agt_2"] {
        let url = json!({"url": "https://kb-rag.invalid/a"});
        served.post(&writer, &format!("/api/agents/{agent}/knowledge"), url).is(201);
        let output = json!({"knowledge_base": "agents", "output": "The numbat eats termites. ".repeat(6), "agent_id": agent});
        served.post(&writer, "/api/v1/outputs", output).is(201);
    }
    let drop = |role: &str, agent: &str| served.call(role, "DELETE", &format!("/api/agents/{agent}"), "");
    drop(&reader, "agt_1").refuses(403, "must be an administrator");
    drop(&writer, "agt_1").is(204);
    assert_eq!(served.get(&writer, "/api/agents/agt_1/knowledge").is(200), json!([]));
    assert_eq!(served.get(&writer, "/api/agents/agt_2/knowledge").is(200).as_array().unwrap().len(), 1);
    let left: Vec<String> = client.column(
        "SELECT DISTINCT agent FROM (SELECT agent_id::text AS agent FROM kb_agent_list('agents')
            UNION ALL SELECT metadata ->> 'agent_id' FROM kb_agents.document) a",
        &[],
    );
    assert_eq!(left, [client.value::<String>("SELECT kb_agent('agt_2')::text", &[])]);
    // An agent that has nothing is as one that was removed.
    drop(&writer, "agt_1").is(204);
    drop(&writer, "agt_2?force=true").refuses(400, "unknown argument \"force\"");
    drop(&writer, "a%00").refuses(400, "NUL");
    // Documents in a base that everybody may write stay, which is said.
    let owner = database.create_role("owner");
    client.run(&format!("SELECT kb_grant_admin('{owner}'); SET ROLE {owner}"));
    client.create_base("theirs");
    client.run(
        "SELECT kb_grant('theirs', 'public', 'write');
         SELECT kb_add('theirs', 'The quoll is spotted.', metadata => jsonb_build_object('agent_id', kb_agent('agt_4')));
         RESET ROLE",
    );
    let dropped = drop(&writer, "agt_4");
    dropped.is(204);
    assert!(
        dropped.head.contains("x-kb-rag-notice: documents of the agent in knowledge base \"theirs\" stay"),
        "{dropped:?}"
    );
    // A base that the role may not administer.
    client.run("SELECT kb_attach_agent(kb_agent('agt_3'), 'notes')");
    drop(&writer, "agt_3").refuses(403, "must be an administrator of all knowledge bases");
}
