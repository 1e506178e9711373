//! kb_retrieve with a search block of type pgvector: rewrite, embed, search; and what each failure costs.

use kb_rag_cluster_tests::mock::Reply;
use kb_rag_cluster_tests::reader::{Agent, DIMENSIONS, call, check, conversation};
use kb_rag_cluster_tests::{Outcome, Session};
use serde_json::json;
use std::collections::HashSet;

const FREE: &str = "One-way rentals can be canceled free of charge.";
const AGE: &str = "A driver must be at least 21 years old.";
const EMBEDDINGS: &str = "/embeddings";

#[test]
fn a_conversation_is_rewritten_embedded_and_searched() {
    let mut agent = Agent::start();
    let mut block = agent.table(&[FREE, AGE, "The small car has room for two suitcases."]);
    block["top_k"] = json!(1);
    agent.owner.run(
        "SELECT kb_prompt_set('kb-rewrite-instructions', 'Expand abbreviations.');
         SELECT kb_prompt_set('kb-rewrite-instructions', 'Always name the product line.')",
    );
    agent.client.run(&check(&block));
    agent.notices.take();
    let messages = conversation("And for one-way rentals?");
    // Without a chat model, the last message of the customer is the query.
    agent.retrieves(&block, &messages);
    assert_eq!(agent.calls(EMBEDDINGS)[0].texts, ["And for one-way rentals?"]);
    assert_eq!(agent.chat_calls().len(), 0);

    agent.client.run("SET kb_rag.chat_model = 'mock/chat'");
    agent.rewrites(FREE);
    assert_eq!(agent.retrieves(&block, &messages).as_deref(), Some(FREE));
    let asked = agent.chat_calls()[0].json();
    assert_eq!(asked["model"], "chat");
    let instructions = asked["messages"][0]["content"].as_str().unwrap().to_string();
    assert!(instructions.contains("search queries"), "{instructions}");
    assert_eq!(
        asked["messages"][1]["content"],
        "Customer: What is your cancellation policy?\n\nAgent: Free cancellation up to 24 hours before pickup.\n\n\
         Customer: And for one-way rentals?"
    );
    assert_eq!(agent.calls(EMBEDDINGS)[1].texts, [FREE]);
    // The prompt's text comes after the built-in instructions: the newest version, or the one that is named.
    for (version, added) in
        [(json!(null), "Always name the product line."), (json!(1), "Expand abbreviations.")]
    {
        block["prompt"] = json!({"id": "kb-rewrite-instructions", "version": version});
        agent.retrieves(&block, &messages);
        let asked = agent.chat_calls().pop().unwrap().json();
        assert_eq!(asked["messages"][0]["content"], format!("{instructions}\n\n{added}"));
    }
    // A chat model costs tokens.
    let usage: String = agent.owner.value(
        "SELECT concat_ws(' ', calls, items, tokens, output_tokens, errors) FROM kb_rag.usage_daily WHERE model = 'mock/chat'",
        &[],
    );
    assert_eq!(usage, "3 0 450 27 0");
    // The same conversation by itself, and for the agent's endpoint.
    agent.client.run("SET kb_rag.chat_model = ''");
    let messages = messages.to_string();
    let rewritten: String = agent
        .client
        .value("SELECT kb_rewrite_query($1::text::jsonb, 'Be exact.', 'mock/chat')", &[&messages]);
    assert_eq!(rewritten, FREE);
    let asked = agent.chat_calls().pop().unwrap().json();
    assert_eq!(asked["messages"][0]["content"], format!("{instructions}\n\nBe exact."));
    agent.owner.run(&format!(
        "SELECT kb_create('rentals', model => 'fake/test', dimensions => 8); SELECT kb_add('rentals', '{FREE}');
         SELECT kb_grant('rentals', '{}', 'read')",
        agent.role
    ));
    agent.client.run("SET kb_rag.chat_model = 'mock/chat'");
    // Not for a call that is wrong anyway.
    let nothing: String =
        agent.client.value("SELECT kb_snippets($1::text::jsonb, top_k => 0)::text", &[&messages]);
    assert_eq!((nothing.as_str(), agent.chat_calls().len()), ("[]", 4));
    let snippets: String = agent.client.value("SELECT kb_snippets($1::text::jsonb)::text", &[&messages]);
    assert_eq!(snippets, format!("[\"{FREE}\"]"));
    assert_eq!(agent.chat_calls().len(), 5);
}

#[test]
fn a_chat_model_that_fails_leaves_the_last_message() {
    let mut agent = Agent::start();
    let block = agent.table(&[FREE, AGE]);
    let messages = conversation("And for one-way rentals?");
    agent.client.run("SET kb_rag.chat_model = 'mock/chat'");
    for (reply, said) in [
        (Reply::error(500, "out of memory"), "provider \"mock\" failed"),
        (Reply::raw(200, "text/html", "<html>busy</html>"), "provider \"mock\" returned an invalid response"),
        (Reply::json(r#"{"choices": [{"message": {"content": " "}}]}"#), "returned an invalid response"),
        (Reply::json(r#"{"choices": [{"message": {"content": "\"\""}}]}"#), "replied without a query"),
        (Reply::reset(), "provider \"mock\" failed"),
        (Reply::endless(10 << 30), "returned an invalid response"),
    ] {
        agent.mock.heal();
        agent.chats(reply);
        assert!(agent.retrieve(&block, &messages).is_some(), "{said}");
        let notices = agent.notices.take();
        assert!(notices.len() == 1 && notices[0].contains(said), "no {said:?} in {notices:?}");
        assert!(notices[0].contains("; the query is the last message of the customer"), "{notices:?}");
    }
    assert_eq!(agent.calls(EMBEDDINGS).pop().unwrap().texts, ["And for one-way rentals?"]);
    // One that hangs is not waited for as long as the provider may take.
    agent.mock.heal();
    agent.chats(Reply::hang());
    agent.owner.run("SELECT kb_provider_set('mock', timeout => '1 hour')");
    agent.connect_with("rewrite_max_time=300");
    agent.client.run("SET kb_rag.chat_model = 'mock/chat'");
    assert!(agent.retrieve(&block, &messages).is_some());
    let notices = agent.notices.take();
    assert!(notices.len() == 1 && notices[0].contains("did not answer in time"), "{notices:?}");
    // Failed calls count too, and one of a role without a grant is none.
    let usage = "SELECT concat_ws(' ', sum(calls), sum(errors)) FROM kb_rag.usage WHERE model = 'mock/chat'";
    assert_eq!(agent.owner.value::<String>(usage, &[]), "7 6");
    let calls = agent.chat_calls().len();
    for (model, said) in [
        ("nobody/chat", "provider \"nobody\" does not exist"),
        ("local/all-minilm-l6-v2", "model \"local/all-minilm-l6-v2\" is not a chat model"),
        ("chat", "chat model \"chat\" is not valid"),
        ("search/chat", "provider \"search\" has no chat models"),
        ("mock/chat", "permission denied for provider \"mock\""),
    ] {
        if model == "mock/chat" {
            agent.owner.run(&format!("SELECT kb_provider_revoke('mock', '{}')", agent.role));
        }
        let rewritten: String = agent
            .client
            .value("SELECT kb_rewrite_query($1::text::jsonb, model => $2)", &[&messages.to_string(), &model]);
        assert_eq!(rewritten, "And for one-way rentals?");
        let notices = agent.notices.take();
        assert!(notices.len() == 1 && notices[0].contains(said), "no {said:?} in {notices:?}");
    }
    assert_eq!(agent.chat_calls().len(), calls);
}

#[test]
fn a_table_or_model_that_fails_is_a_warning() {
    let mut agent = Agent::start();
    let block = agent.table(&[FREE, AGE]);
    let messages = conversation("And for one-way rentals?");
    assert!(agent.retrieves(&block, &messages).is_some());
    agent.client.run("SET kb_rag.query_cache_ttl = 0; SET kb_rag.chat_model = 'mock/chat'");
    agent.rewrites("one-way rentals");
    // The provider of the embeddings.
    agent.mock.when(|call| call.path.ends_with(EMBEDDINGS), Reply::error(500, "out of memory"));
    agent.gets_nothing(&block, &messages, "provider \"mock\" failed");
    // The call of the chat model counts, whatever comes after it.
    let usage = "SELECT sum(calls)::bigint FROM kb_rag.usage WHERE model = 'mock/chat'";
    assert_eq!(agent.owner.value::<i64>(usage, &[]), 1);
    agent.mock.heal();
    agent.client.run("SET kb_rag.chat_model = ''");
    // A role without a grant, before anything is sent.
    agent.owner.run(&format!("SELECT kb_provider_revoke('mock', '{}')", agent.role));
    agent.mock.forget_calls();
    agent.gets_nothing(&block, &messages, "permission denied for provider \"mock\"");
    assert_eq!(agent.client.state_of(&check(&block), &[]), "42501");
    agent.owner.run(&format!("SELECT kb_provider_grant('mock', '{}')", agent.role));
    // The rights on the table.
    agent.owner.run(&format!("REVOKE SELECT ON support_articles FROM {}", agent.role));
    agent.gets_nothing(&block, &messages, "permission denied for column \"vec\" of public.support_articles");
    assert_eq!(agent.client.state_of(&check(&block), &[]), "42501");
    agent.owner.run(&format!("GRANT SELECT (vec, metadata) ON support_articles TO {}", agent.role));
    assert_eq!(agent.mock.calls().len(), 0);
    agent.retrieves(&block, &messages);
    // Another dimension, of the column and of the rows.
    agent.owner.run("ALTER TABLE support_articles ALTER vec TYPE vector(4) USING subvector(vec, 1, 4)");
    agent.gets_nothing(
        &block,
        &messages,
        "embedding_dimensions is 8, but the vectors of public.support_articles have 4",
    );
    assert_eq!(agent.client.state_of(&check(&block), &[]), "22000");
    agent.owner.run("ALTER TABLE support_articles ALTER vec TYPE vector");
    agent.gets_nothing(&block, &messages, "different vector dimensions");
    assert_eq!(agent.client.state_of(&check(&block), &[]), "22000");
    // Hidden rows stay hidden.
    agent.owner.run(&format!(
        "UPDATE support_articles SET vec = '{:?}';
         CREATE POLICY ages ON support_articles USING (metadata->>'content' LIKE 'A driver%');
         ALTER TABLE support_articles ENABLE ROW LEVEL SECURITY",
        agent.mock.vector(FREE, DIMENSIONS)
    ));
    assert_eq!(agent.retrieves(&block, &messages).as_deref(), Some(AGE));
    agent.owner.run("DROP TABLE support_articles");
    agent.gets_nothing(&block, &messages, "collection \"support_articles\" does not exist");
    assert_eq!(agent.client.state_of(&check(&block), &[]), "42P01");
}

#[test]
fn a_retrieval_takes_a_limited_time() {
    let mut agent = Agent::start();
    agent.connect_with("retrieval_max_time=1000, again=50");
    let block = agent.table(&[FREE, AGE]);
    let messages = conversation("And for one-way rentals?");
    let mut locker = agent.database.connect();
    locker.run("BEGIN; LOCK TABLE support_articles");
    // statement_timeout is shorter: it cancels the statement.
    agent.client.run("SET statement_timeout = '300ms'");
    assert_eq!(agent.client.state_of(&call(&block, &messages), &[]), "57014");
    // The table stays locked: only the limit ends the retrieval, and statement_timeout would be an error.
    agent.client.run("SET statement_timeout = '20s'; BEGIN; CREATE TEMP TABLE kept (n int)");
    agent.gets_nothing(&block, &messages, "the retrieval took longer than 1 s");
    // The transaction goes on, and nothing is canceled afterwards: a timer that still ran would expire four times.
    agent.client.run("INSERT INTO kept VALUES (1); SELECT pg_sleep(0.2); COMMIT");
    locker.run("COMMIT");
    assert!(agent.retrieves(&block, &messages).is_some());
}

/// Both timers end at once: the statement's own is obeyed.
#[test]
fn a_statement_timeout_of_the_same_length_is_obeyed() {
    let mut agent = Agent::start();
    agent.connect_with("retrieval_max_time=1000");
    let block = agent.table(&[FREE, AGE]);
    let messages = conversation("And for one-way rentals?");
    assert!(agent.retrieves(&block, &messages).is_some());
    let mut locker = agent.database.connect();
    locker.run("BEGIN; LOCK TABLE support_articles");
    agent.client.run("SET statement_timeout = '1s'");
    assert_eq!(agent.client.state_of(&call(&block, &messages), &[]), "57014");
    locker.run("COMMIT");
    assert!(agent.retrieves(&block, &messages).is_some());
}

/// PostgreSQL cancels once; code that traps it must not go on for ever.
#[test]
fn a_cancellation_that_is_trapped_comes_again() {
    let mut agent = Agent::start();
    agent.connect_with("again=100");
    let mut block = agent.table(&[FREE]);
    agent.owner.run(&format!(
        "CREATE FUNCTION traps() RETURNS boolean LANGUAGE plpgsql AS $$
         BEGIN
             FOR n IN 1..2 LOOP
                 BEGIN PERFORM pg_sleep(3600); EXCEPTION WHEN query_canceled THEN NULL; END;
             END LOOP;
             PERFORM pg_sleep(3600);
             RETURN true;
         END $$;
         CREATE VIEW trapping AS SELECT vec, metadata FROM support_articles WHERE traps();
         GRANT SELECT ON trapping TO {}",
        agent.role
    ));
    block["collection"] = json!("trapping");
    let messages = conversation("And for one-way rentals?");
    agent.client.run("SET statement_timeout = '300ms'");
    // Nothing else ends the later waits of the function.
    let running = Outcome::spawn(agent.client, &call(&block, &messages));
    assert_eq!(Outcome::joined(running, "a third cancellation").state, "57014");
}

#[test]
fn the_log_shows_nothing_that_row_security_hides() {
    let mut agent = Agent::start();
    let block = agent.table(&[FREE]);
    let messages = conversation("And for one-way rentals?");
    agent.owner.run(&format!(
        "SELECT kb_create('rentals', model => 'fake/test', dimensions => 8); SELECT kb_add('rentals', '{AGE}');
         SELECT kb_expose('rentals'); SELECT kb_grant('rentals', '{}', 'read');
         CREATE VIEW seen AS SELECT * FROM support_articles; GRANT SELECT ON seen TO {}",
        agent.role, agent.role
    ));
    agent.database.set("kb_rag.log_searches", "on");
    (agent.client, agent.notices) = agent.database.connect_listening(&agent.role);
    let retrieve = |agent: &mut Agent, collection: &str| {
        let mut block = block.clone();
        block["collection"] = json!(collection);
        assert!(agent.retrieves(&block, &messages).is_some(), "{collection}");
        let sql = "SELECT concat_ws('|', knowledge_bases, query IS NOT NULL, results->0->>'content')
                   FROM kb_rag.search_history ORDER BY at DESC LIMIT 1";
        agent.client.value::<String>(sql, &[])
    };
    // A table without policies, a view, and that of a base.
    assert_eq!(retrieve(&mut agent, "support_articles"), format!("{{}}|t|{FREE}"));
    assert_eq!(retrieve(&mut agent, "seen"), "{}|f");
    assert_eq!(retrieve(&mut agent, "kb_rentals.collection"), format!("{{rentals}}|t|{AGE}"));
    // Another view beside it is no view of the base.
    agent.owner.run(&format!(
        "CREATE VIEW kb_rentals.mine AS SELECT * FROM support_articles; GRANT SELECT ON kb_rentals.mine TO {}",
        agent.role
    ));
    assert_eq!(retrieve(&mut agent, "kb_rentals.mine"), "{}|f");
    // An error may quote what a view shows.
    agent.owner.run(&format!(
        "CREATE VIEW broken AS SELECT vec, metadata FROM support_articles WHERE (metadata->>'content')::int > 0;
         GRANT SELECT ON broken TO {}",
        agent.role
    ));
    let mut broken = block.clone();
    broken["collection"] = json!("broken");
    assert_eq!(agent.retrieve(&broken, &messages), None);
    assert!(agent.notices.take()[0].contains(FREE));
    let error = "SELECT error FROM kb_rag.search_history ORDER BY at DESC LIMIT 1";
    assert_eq!(agent.client.value::<String>(error, &[]), "the call failed");
    agent.owner.run(
        "CREATE POLICY p ON support_articles USING (true); ALTER TABLE support_articles ENABLE ROW LEVEL SECURITY",
    );
    assert_eq!(retrieve(&mut agent, "support_articles"), "{}|f");
    // Policies of a base count whenever they are made, and its rows go with it.
    let count = "SELECT count(*) FROM kb_rag.search_history";
    assert_eq!(agent.client.value::<i64>(count, &[]), 6);
    agent.owner.run(
        "CREATE POLICY p ON kb_rentals.document USING (true);
         ALTER TABLE kb_rentals.document ENABLE ROW LEVEL SECURITY",
    );
    assert_eq!(agent.client.value::<i64>(count, &[]), 5);
    agent.owner.run("DROP VIEW kb_rentals.mine; SELECT kb_drop('rentals')");
    assert_eq!(agent.owner.value::<i64>("SELECT count(*) FROM kb_rag.search_log", &[]), 5);
}

#[test]
fn an_approximate_index_gives_as_many_as_there_are() {
    let mut agent = Agent::start();
    let mut block = agent.table(&[FREE]);
    // Vectors around those of the question and of others; one in a hundred passes the filter.
    agent.owner.run(
        "INSERT INTO support_articles
         SELECT n, (SELECT array_agg(sin(n * m * 0.7 + m)) FROM generate_series(1, 8) m)::vector(8),
             jsonb_build_object('content', 'text ' || n, 'rare', n % 100 = 0)
         FROM generate_series(1, 6000) n",
    );
    block["top_k"] = json!(55);
    block["metadata_filter"] = json!({"rare": true});
    let messages = conversation("And for one-way rentals?");
    let exact = agent.retrieves(&block, &messages).unwrap();
    assert_eq!(exact.split("\n\n---\n\n").count(), 55);
    for index in [
        "CREATE INDEX ann ON support_articles USING hnsw (vec vector_cosine_ops)",
        "CREATE INDEX ann ON support_articles USING ivfflat (vec vector_cosine_ops) WITH (lists = 50)",
    ] {
        agent.owner.run(index);
        agent.client.run("SET enable_seqscan = off");
        let found = agent.retrieves(&block, &messages).unwrap();
        // The index may miss a near vector: which ones depends on chance when it is built.
        let passages = |text: &str| text.split("\n\n---\n\n").map(str::to_string).collect::<HashSet<_>>();
        let (found, exact) = (passages(&found), passages(&exact));
        assert_eq!(found.len(), 55, "{index}");
        assert!(found.intersection(&exact).count() >= 50, "{index}: {found:?}");
        // More than pgvector's default of 40, without a filter.
        let mut all = block.clone();
        all["metadata_filter"] = json!({});
        assert_eq!(agent.retrieves(&all, &messages).unwrap().split("\n\n---\n\n").count(), 55);
        agent.owner.run("DROP INDEX ann");
        agent.client.run("RESET enable_seqscan");
    }
}
