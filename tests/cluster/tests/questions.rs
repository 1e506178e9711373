//! Questions of one's own: sessions that add the first one at once, models of providers, cancellation, dumps.

use std::thread;

use kb_rag_cluster_tests::mock::{Mock, Reply};
use kb_rag_cluster_tests::pipeline::{RemoteSession, wait_until_idle};
use kb_rag_cluster_tests::{
    Database, Outcome, Session, cancel, dump_and_restore, sqlstate, wait_until_active,
};
use serde_json::json;

const CHAT: &str = "/chat/completions";

#[test]
fn the_first_questions_of_sessions_share_the_tables() {
    let (database, mut client) = Database::with_base("shared");
    let adding: Vec<_> = (0..6)
        .map(|n| {
            let mut session = database.connect();
            thread::spawn(move || session.run(&format!("SELECT kb_question_add('shared', 'Question {n}')")))
        })
        .collect();
    for session in adding {
        session.join().unwrap();
    }
    let count: i64 = client.value("SELECT count(*) FROM kb_shared.question", &[]);
    assert_eq!(count, 6);
}

#[test]
fn a_chat_model_writes_questions_only_when_asked() {
    let database = Database::create();
    let mock = Mock::openai();
    let (mut client, notices) = database.connect_listening("postgres");
    client.set_provider("mock", &mock);
    client.run(
        "SELECT kb_create('notes', model => 'fake/e8', dimensions => 8);
         SELECT kb_add('notes', 'The red handle drains the tank.', 'Tank', source_key => 'tank');
         SET kb_rag.chat_model = 'mock/chat'",
    );
    let chats = || mock.calls().into_iter().filter(|call| call.path.ends_with(CHAT)).collect::<Vec<_>>();
    let reply = |text: &str| {
        let body = json!({"choices": [{"message": {"role": "assistant", "content": text}}],
            "usage": {"prompt_tokens": 70, "completion_tokens": 7}});
        mock.when(move |call| call.path.ends_with(CHAT), Reply::json(body.to_string()));
    };
    client.run("SELECT * FROM kb_question_draft('notes', 1)");
    assert_eq!(chats().len(), 0);

    notices.take();
    reply("\nHow do I empty it?\nAnd a second line.");
    let drafted = client
        .query_one("SELECT question, kind FROM kb_question_draft('notes', 1, use_chat_model => true)", &[])
        .unwrap();
    assert_eq!((drafted.get::<_, &str>(0), drafted.get::<_, &str>(1)), ("How do I empty it?", "chat"));
    let said = notices.take();
    assert!(said.iter().any(|notice| notice.contains("is asked 1 times")), "{said:?}");
    let asked = chats()[0].json();
    assert!(asked["messages"].to_string().contains("The red handle drains the tank."), "{asked}");
    let expected: Vec<String> =
        client.value("SELECT expected_texts FROM kb_notes.question WHERE tags @> '{chat}'", &[]);
    assert_eq!(expected, ["The red handle drains the tank."]);
    let usage: String = client.value(
        "SELECT concat_ws(' ', calls, tokens, output_tokens) FROM kb_rag.usage_daily WHERE model = 'mock/chat'",
        &[],
    );
    assert_eq!(usage, "1 70 7");

    // A prompt of one's own, and a model that fails: nothing is added.
    client.run("SELECT kb_prompt_set('kb_question_draft', 'Ask as a plumber.')");
    mock.heal();
    mock.when(|call| call.path.ends_with(CHAT), Reply::error(400, "no such chat"));
    let failed = client.query("SELECT * FROM kb_question_draft('notes', 1, use_chat_model => true)", &[]);
    assert_eq!(sqlstate(&failed), "38000");
    assert!(chats().last().unwrap().json()["messages"].to_string().contains("Ask as a plumber."));
    let count: i64 = client.value("SELECT count(*) FROM kb_notes.question WHERE tags @> '{chat}'", &[]);
    assert_eq!(count, 1);
}

/// A remote model is called once for all questions, whatever the configurations, after a notice of the cost.
#[test]
fn questions_are_embedded_together() {
    let database = Database::create();
    let mock = Mock::openai();
    let (mut client, notices) = database.connect_listening("postgres");
    client.set_provider("mock", &mock);
    client.create_remote_base("notes", "mock/small");
    client.insert_notes(1, 5);
    wait_until_idle(&mut client);
    client.run(
        "SELECT kb_question_add('notes', 'first question', expected_keys => '{1}');
         SELECT kb_question_add('notes', 'second question', expected_keys => '{2}')",
    );
    let asked = || {
        let calls = mock.calls().into_iter().map(|call| String::from_utf8_lossy(&call.body).into_owned());
        calls.filter(|body| body.contains("question")).collect::<Vec<_>>()
    };
    let usage = "SELECT calls || ' ' || items FROM kb_rag.usage ORDER BY at DESC LIMIT 1";
    notices.take();
    // The vectors are held for the whole evaluation even if none is cached after it.
    client.run(
        "SET kb_rag.query_cache_ttl = 0;
         SELECT * FROM kb_evaluate('notes', '[{}, {\"fusion\": \"rrf\"}, {\"mode\": \"semantic\"}]')",
    );
    let bodies = asked();
    assert_eq!(bodies.len(), 1, "{bodies:?}");
    assert!(bodies[0].contains("first question") && bodies[0].contains("second question"), "{bodies:?}");
    let said = notices.take();
    let expected = "embedding 2 questions with \"mock/small\" takes 1 call of about ";
    assert!(said.iter().any(|notice| notice.contains(expected)), "{said:?}");
    assert_eq!(client.value::<String>(usage, &[]), "1 2");

    client.run("SELECT * FROM kb_suggest('notes')");
    assert_eq!(asked().len(), 2, "nothing is held after an evaluation, and everything within one");
    client.run("BEGIN READ ONLY; SELECT * FROM kb_evaluate('notes'); ROLLBACK");
    assert_eq!(asked().len(), 3);
    client.run("SELECT * FROM kb_evaluate('notes', '{\"mode\": \"keyword\"}')");
    // kb_context compares texts with the question also where words find them.
    assert_eq!(asked().len(), 4);

    // Figures of keywords alone would be taken for those of the whole search.
    mock.when(
        |call| String::from_utf8_lossy(&call.body).contains("question"),
        Reply::error(400, "no vectors today"),
    );
    let failed = client.query("SELECT * FROM kb_evaluate('notes')", &[]);
    assert_eq!(sqlstate(&failed), "38000");
}

#[test]
fn an_evaluation_can_be_canceled() {
    let (database, mut client) = Database::with_base("shared");
    client.run(
        "SELECT kb_add('shared', 'Text ' || n, source_key => n::text) FROM generate_series(1, 50) n;
         SELECT kb_question_add('shared', 'text ' || n, expected_keys => ARRAY[n::text]) FROM generate_series(1, 50) n;
         INSERT INTO kb_shared.question (question, expected_keys) SELECT 'text ' || n, '{1}' FROM generate_series(1, 20000) n",
    );
    let mut session = database.connect();
    let pid = session.pid();
    let running = Outcome::spawn(session, "SELECT * FROM kb_evaluate('shared', save_as => 'never')");
    wait_until_active(&mut client, pid, "SELECT * FROM kb_evaluate");
    cancel(&mut client, pid);
    assert_eq!(running.join().unwrap().state, "57014");
    let kept: i64 = client.value("SELECT count(*) FROM kb_shared.evaluation", &[]);
    assert_eq!(kept, 0);
}

#[test]
fn a_dump_has_the_questions() {
    let (database, mut client) = Database::with_base("shared");
    client.run(
        "SELECT kb_add('shared', 'The red handle.', source_key => 'tank');
         SELECT kb_question_add('shared', 'red handle', expected_keys => '{tank}');
         SELECT * FROM kb_evaluate('shared', save_as => 'before')",
    );
    let other = Database::bare("");
    dump_and_restore(&database, &other);
    let mut restored = other.connect();
    let found: f64 =
        restored.value("SELECT first_hit FROM kb_evaluate('shared', '{\"mode\": \"keyword\"}')", &[]);
    assert_eq!(found, 1.0);
    let even: i64 = restored
        .value("SELECT even FROM kb_compare('shared', '\"before\"', '{}') WHERE measure = 'mrr'", &[]);
    assert_eq!(even, 1);
}
