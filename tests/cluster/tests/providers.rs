//! Remote models as a session sees them: what a provider is sent, which answers are stored, what is counted,
//! and which roles may use it.

use std::process::Stdio;

use kb_rag_cluster_tests::mock::{DIMENSIONS, Gate, Mock, Reply};
use kb_rag_cluster_tests::pipeline::RemoteSession;
use kb_rag_cluster_tests::{Database, Outcome, Session, client_program, wait_for_lock, wait_until};
use postgres::Client;

fn all_kinds() -> [Mock; 7] {
    [
        Mock::openai(),
        Mock::ollama(),
        Mock::google(),
        Mock::cohere(),
        Mock::voyage(),
        Mock::mistral(),
        Mock::tei(),
    ]
}

/// A database with the provider `mock`.
fn provided(mock: &Mock) -> (Database, Client) {
    let database = Database::create();
    let mut client = database.connect();
    client.run(&format!(
        "SELECT kb_provider_set('mock', kind => '{}', base_url => '{}', timeout => '30 s')",
        mock.kind(),
        mock.base_url()
    ));
    (database, client)
}

fn assert_near(found: &[f32], right: &[f32], what: &str) {
    assert_eq!(found.len(), right.len(), "{what}");
    assert!(
        found.iter().zip(right).all(|(a, b)| (a - b).abs() < 1e-5),
        "{what}: {found:?}, expected {right:?}"
    );
}

/// One text and many, as queries and documents, with dimensions that are requested, known and detected.
#[test]
fn every_kind_embeds_texts() {
    for mock in all_kinds() {
        let kind = mock.kind();
        let (_database, mut client) = provided(&mock);
        let one: Vec<f32> = client.value("SELECT kb_embed('a text', 'mock/small')::real[]", &[]);
        assert_near(&one, &mock.vector("a text", DIMENSIONS), kind);
        // The first call detected the dimensions; the backend remembers them.
        let calls = mock.calls().len();
        let _: Vec<f32> = client.value("SELECT kb_embed('another text', 'mock/small')::real[]", &[]);
        assert_eq!(mock.calls().len(), calls + 1, "{kind}");
        // Fewer dimensions than the model gives: truncated, and normalized again.
        let cut: Vec<f32> = client.value("SELECT kb_embed('a text', 'mock/small', 4)::real[]", &[]);
        let length = cut.iter().map(|x| x * x).sum::<f32>().sqrt();
        assert!(cut.len() == 4 && (length - 1.0).abs() < 1e-5, "{kind}: {cut:?}");
        // More texts than one call takes, in order.
        let texts: Vec<String> = (0..230).map(|n| format!("text number {n}")).collect();
        mock.forget_calls();
        let rows = client
            .query("SELECT ordinal, embedding::real[] FROM kb_embed_batch($1, 'mock/small', 8)", &[&texts])
            .unwrap();
        assert_eq!(rows.len(), texts.len(), "{kind}");
        for (n, row) in rows.iter().enumerate() {
            assert_eq!(row.get::<_, i32>(0), n as i32, "{kind}");
            assert_near(&row.get::<_, Vec<f32>>(1), &mock.vector(&texts[n], 8), kind);
        }
        mock.wait_until_quiet();
        let calls = mock.calls();
        assert!(calls.iter().all(|call| call.succeeded()), "{kind} refused a call: {calls:#?}");
        assert_eq!(calls.iter().map(|call| call.texts.len()).sum::<usize>(), texts.len(), "{kind}");
    }
}

#[test]
fn an_old_ollama_answers_over_its_old_route() {
    let mock = Mock::ollama();
    mock.legacy_only();
    let (_database, mut client) = provided(&mock);
    let rows = client
        .query("SELECT embedding::real[] FROM kb_embed_batch('{one,two}', 'mock/small', 8)", &[])
        .unwrap();
    assert_eq!(rows.len(), 2);
    for (row, text) in rows.iter().zip(["one", "two"]) {
        assert_near(&row.get::<_, Vec<f32>>(0), &mock.vector(text, 8), text);
    }
}

#[test]
fn a_provider_is_tested_and_its_usage_is_counted() {
    for mock in all_kinds() {
        let (database, mut client) = provided(&mock);
        mock.require_key("key-of-the-test");
        let key =
            std::env::temp_dir().join(format!("kb_rag-providers-{}-{}", std::process::id(), mock.kind()));
        std::fs::write(&key, "key-of-the-test\n").unwrap();
        assert_eq!(client.state_of("SELECT * FROM kb_provider_test('mock', 'small')", &[]), "38000");
        client.run(&format!(
            "SELECT kb_provider_set('mock', api_key => 'file:{}', price_per_million => 2e6)",
            key.display()
        ));
        let row = client
            .query_one(
                "SELECT model, dimensions, milliseconds, tokens FROM kb_provider_test('mock', 'small')",
                &[],
            )
            .unwrap();
        assert_eq!(row.get::<_, &str>(0), "mock/small");
        assert_eq!(row.get::<_, i32>(1), DIMENSIONS as i32);
        let milliseconds: f64 = row.get(2);
        assert!(
            milliseconds > 0.0
                && milliseconds.to_string().split('.').nth(1).is_none_or(|rest| rest.len() <= 3)
        );
        let tokens: Option<i64> = row.get(3);
        // If a service does not count tokens, none are recorded.
        assert_eq!(tokens.is_none(), ["google", "tei"].contains(&mock.kind()), "{}", mock.kind());
        let counted = client
            .query_one(
                "SELECT calls, items, tokens, errors, cost, knowledge_base FROM kb_rag.usage_daily",
                &[],
            )
            .unwrap();
        assert_eq!((counted.get::<_, i64>(0), counted.get::<_, i64>(1)), (1, 1));
        assert_eq!(counted.get::<_, Option<i64>>(2), tokens);
        assert_eq!(counted.get::<_, i64>(3), 0);
        assert_eq!(counted.get::<_, Option<f64>>(4), tokens.map(|tokens| 2.0 * tokens as f64));
        assert_eq!(counted.get::<_, Option<&str>>(5), None);
        // It belongs to superusers only.
        let role = database.create_role("nobody");
        assert_eq!(
            database.connect_as(&role).value::<i64>("SELECT count(*) FROM kb_rag.usage_daily", &[]),
            0
        );
        std::fs::remove_file(key).unwrap();
    }
}

/// A repeated search for the same words calls no provider, and after kb_warm_query no session does.
#[test]
fn queries_are_embedded_once() {
    let mock = Mock::openai();
    let (database, mut client) = provided(&mock);
    client.create_remote_base("notes", "mock/small");
    let search = "SELECT count(*) FROM kb_search($1, 'notes', 'semantic')";
    let ask = |client: &mut Client, query: &str| client.query(search, &[&query]).map(drop).unwrap();

    ask(&mut client, "what is kept");
    ask(&mut client, "what is kept");
    // kb_embed gives the same vector for the same query.
    client.run("SELECT kb_embed('what is kept', 'mock/small', 8)");
    assert_eq!(mock.times_sent("what is kept"), 1);
    // As a document it is a different text.
    client.run("SELECT kb_embed('what is kept', 'mock/small', 8, 'document')");
    assert_eq!(mock.times_sent("what is kept"), 2);
    // Backends do not share what they have cached.
    let mut other = database.connect();
    ask(&mut other, "what is kept");
    assert_eq!(mock.times_sent("what is kept"), 3);

    // Warmed, including the words that a hybrid search excludes.
    client.run("SELECT kb_warm_query('ask -nobody', 'notes')");
    assert_eq!((mock.times_sent("ask -nobody"), mock.times_sent("ask")), (1, 1));
    let mut third = database.connect();
    third.run("BEGIN READ ONLY");
    ask(&mut third, "ask -nobody");
    for syntax in ["plain", "web"] {
        third.run(&format!(
            "SELECT count(*) FROM kb_hybrid_search('ask -nobody', 'notes', syntax => '{syntax}')"
        ));
    }
    third.run("COMMIT");
    assert_eq!((mock.times_sent("ask -nobody"), mock.times_sent("ask")), (1, 1));
    let items: i64 = client.value("SELECT items FROM kb_rag.usage_daily WHERE knowledge_base = 'notes'", &[]);
    assert_eq!(items, 2);

    // Not longer than its time to live.
    third.run("SET kb_rag.query_cache_ttl = 0");
    ask(&mut third, "ask -nobody");
    assert_eq!(mock.times_sent("ask -nobody"), 2);
    client.run("UPDATE kb_rag.query_cache SET created_at = created_at - interval '301 seconds'");
    ask(&mut database.connect(), "ask -nobody");
    assert_eq!(mock.times_sent("ask -nobody"), 3);
    client.run("SELECT kb_warm_query('another', 'notes')");
    assert_eq!(
        client.value::<i64>("SELECT count(*) FROM kb_rag.query_cache", &[]),
        1,
        "old ones are removed"
    );

    // The same name at another address is a different model.
    let elsewhere = Mock::openai_with_salt("elsewhere");
    client.run(&format!("SELECT kb_provider_set('mock', base_url => '{}')", elsewhere.base_url()));
    ask(&mut client, "another");
    let found: Vec<f32> = client.value("SELECT kb_embed('what is kept', 'mock/small', 8)::real[]", &[]);
    assert_near(&found, &elsewhere.vector("what is kept", 8), "the other place's");
    assert_eq!((elsewhere.times_sent("another"), elsewhere.times_sent("what is kept")), (1, 1));
}

/// A provider that is down costs one wait per search, not one each time the search looks deeper.
#[test]
fn a_search_calls_a_failing_provider_only_once() {
    let mock = Mock::openai();
    let (database, mut client) = provided(&mock);
    client.run(
        "SELECT kb_create('notes', model => 'mock/small', dimensions => 8, embed => 'off', chunk_size => 200, chunk_overlap => 0)",
    );
    client.run(
        "INSERT INTO kb_notes.document (content)
         SELECT repeat('A passage of many words of the one document. ', 2000) FROM generate_series(1, 2)",
    );
    mock.always(Reply::error(500, "broken"));
    let (mut client, notices) = database.connect_listening("postgres");
    let found = client
        .query("SELECT content FROM kb_hybrid_search('passage', 'notes', 5, max_per_document => 1)", &[])
        .unwrap();
    assert_eq!(found.len(), 2);
    assert_eq!(mock.calls().len(), 1);
    assert_eq!(notices.take().len(), 1);
}

/// Semantic chunking needs local vectors: no text leaves the server while a document is written.
#[test]
fn semantic_chunking_uses_the_local_model() {
    let mock = Mock::openai();
    let (_database, mut client) = provided(&mock);
    client.run(
        "SELECT kb_create('notes', model => 'mock/small', dimensions => 8, embed => 'off', chunk_strategy => 'semantic', chunk_size => 80,
             chunk_overlap => 0);
         SELECT kb_add('notes', 'Cats sleep all day long. Cats dream of mice at night. Taxes are due in April. The tax office is closed.')",
    );
    assert!(mock.calls().is_empty());
    assert!(client.value::<i64>("SELECT count(*) FROM kb_notes.chunk", &[]) > 1);
}

/// A base whose owner lost access to the provider is searched by keyword only, even by superusers; so is a
/// base whose provider was dropped.
#[test]
fn a_base_uses_its_provider_with_its_owners_privilege() {
    let mock = Mock::openai();
    let (database, mut client) = provided(&mock);
    let owner = database.create_owner("owner");
    client.run(&format!("SELECT kb_provider_grant('mock', '{owner}')"));
    let mut as_owner = database.connect_as(&owner);
    as_owner.create_remote_base("notes", "mock/small");
    let search = "SELECT count(*) FROM kb_search('what', 'notes', 'semantic')";
    assert_eq!(as_owner.state_of(search, &[]), "00000");
    client.run(&format!("SELECT kb_provider_revoke('mock', '{owner}')"));
    let calls = mock.calls().len();
    for session in [&mut as_owner, &mut client] {
        assert_eq!(session.state_of(search, &[]), "42501");
        assert_eq!(session.state_of("SELECT count(*) FROM kb_hybrid_search('what', 'notes')", &[]), "00000");
    }
    client.run("SELECT kb_provider_drop('mock')");
    assert_eq!(client.state_of(search, &[]), "42704");
    assert_eq!(mock.calls().len(), calls);
}

/// Names of roles and privileges survive; secrets do not leave the cluster.
#[test]
fn a_dump_has_providers_and_no_secrets() {
    let mock = Mock::openai();
    let (from, mut client) = provided(&mock);
    let user = from.create_role("user");
    let origin = format!("http://{}", mock.address());
    client.query("SELECT kb_secret_set('key', 'canary-of-the-dump', $1)", &[&origin]).unwrap();
    client.run(&format!(
        "SELECT kb_provider_set('mock', api_key => 'secret:key', headers => '{{\"x-team\": \"a\"}}', price_per_million => 1),
             kb_provider_set('openai', base_url => '{origin}', api_key => ''),
             kb_provider_grant('mock', '{user}'), kb_provider_grant('cohere', 'public'),
             kb_provider_grant('web', '{user}', auto_sync => false), kb_provider_grant('web', '{user}', kb_agent('a'));
         SELECT count(*) FROM kb_provider_test('mock', 'small')"
    ));
    let to = Database::bare("");
    let dump = client_program("pg_dump").args(["-d", from.name()]).output().unwrap();
    assert!(dump.status.success());
    assert!(!String::from_utf8_lossy(&dump.stdout).contains("canary-of-the-dump"));
    let mut restore = client_program("psql")
        .args(["-q", "-X", "-v", "ON_ERROR_STOP=1", "-d", to.name()])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut restore.stdin.take().unwrap(), &dump.stdout).unwrap();
    assert!(restore.wait().unwrap().success());
    let mut restored = to.connect();
    for query in [
        "SELECT string_agg(p::text, E'\\n' ORDER BY name, builtin) FROM kb_rag.provider p",
        "SELECT string_agg(g::text, E'\\n' ORDER BY provider, role) FROM kb_rag.provider_grant g",
        "SELECT string_agg(g::text, E'\\n' ORDER BY g) FROM kb_rag.limited_grant g",
        "SELECT string_agg(u::text, E'\\n') FROM kb_rag.usage u",
    ] {
        assert_eq!(restored.value::<String>(query, &[]), client.value::<String>(query, &[]), "{query}");
    }
    let calls = mock.calls().len();
    assert_eq!(restored.state_of("SELECT kb_embed('a text', 'mock/small', 8)", &[]), "55000");
    assert_eq!(mock.calls().len(), calls);
}

/// A role that may create bases and providers cannot reach private addresses with them, whatever a name
/// resolves to.
#[test]
fn a_provider_of_no_superuser_reaches_no_private_address() {
    let mock = Mock::openai();
    let (database, mut client) = provided(&mock);
    let owner = database.create_owner("owner");
    let mut as_owner = database.connect_as(&owner);
    let port = mock.address().port();
    for host in ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "something.localhost"] {
        let url = format!("http://{host}:{port}/v1");
        as_owner.run(&format!("SELECT kb_provider_set('mine', kind => 'openai', base_url => '{url}')"));
        assert_eq!(as_owner.state_of("SELECT kb_embed('a text', 'mine/small', 8)", &[]), "42501", "{url}");
    }
    assert_eq!(mock.connections(), 0);
    as_owner.run(&format!("SELECT kb_provider_set('mine', base_url => 'http://127.0.0.1:{port}/v1')"));
    client.run(&format!(
        "ALTER DATABASE {} SET kb_rag.allowed_hosts = 'localhost:1, 127.0.0.1:{port}'",
        database.name()
    ));
    let mut as_owner = database.connect_as(&owner);
    let found: Vec<f32> = as_owner.value("SELECT kb_embed('a text', 'mine/small', 8)::real[]", &[]);
    assert_near(&found, &mock.vector("a text", 8), "an allowed host");
}

/// Otherwise a role that may create bases would receive the queries of all searches that name no base.
#[test]
fn a_search_without_a_scope_calls_no_untrusted_provider() {
    let mock = Mock::openai();
    let (database, mut client) = provided(&mock);
    let address = mock.address().to_string();
    client.run(&format!("ALTER DATABASE {} SET kb_rag.allowed_hosts = '{address}'", database.name()));
    let [stranger, reader] = [database.create_owner("stranger"), database.create_role("reader")];
    let mut as_stranger = database.connect_as(&stranger);
    as_stranger.run(&format!(
        "SELECT kb_provider_set('mine', kind => 'openai', base_url => 'http://{address}/v1'), kb_provider_grant('mine', 'public')"
    ));
    as_stranger.create_remote_base("trap", "mine/small");
    as_stranger.create_base("plain");
    as_stranger.run("SELECT kb_add('plain', 'A secret plan.')");
    // Granted by name; otherwise the bases would be outside of their circles.
    for role in ["postgres", &reader] {
        as_stranger
            .run(&format!("SELECT kb_grant('trap', '{role}', 'read'), kb_grant('plain', '{role}', 'read')"));
    }
    let search = "SELECT content FROM kb_hybrid_search('secret plan')";
    for role in ["postgres", &reader] {
        let (mut session, notices) = database.connect_listening(role);
        assert_eq!(session.column::<String>(search, &[]), ["A secret plan."], "{role}");
        let received = notices.take();
        assert!(received.len() == 1 && received[0].contains("\"trap\" is left out"), "{role}: {received:?}");
        assert!(mock.calls().is_empty(), "{role}");
        // A keyword search sends nothing out, so it includes that base.
        session.run("SELECT * FROM kb_search('secret plan', mode => 'keyword')");
        assert!(notices.take().is_empty());
    }
    // A search that names the base, and one by the provider's owner, call the provider; so does any search if
    // a superuser set it up.
    database.connect_as(&reader).run("SELECT * FROM kb_search('named', 'trap', 'semantic')");
    as_stranger.run("SELECT * FROM kb_search('mine', mode => 'semantic')");
    assert_eq!((mock.times_sent("named"), mock.times_sent("mine")), (1, 1));
    client.create_remote_base("ours", "mock/small");
    client.run("SELECT kb_grant('ours', 'public', 'read')");
    database.connect_as(&reader).run("SELECT * FROM kb_search('ours', mode => 'semantic')");
    assert_eq!(mock.times_sent("ours"), 1);
}

/// For some services a model's name is part of the path.
#[test]
fn a_models_name_leads_to_no_other_address() {
    let mock = Mock::google();
    let (_database, mut client) = provided(&mock);
    for name in ["../../../v1/other", "a/../b", "a%2fb", "a?b", "a#b", "a\\b", "./a", "a//b", "", "a b"] {
        let model = format!("mock/{name}");
        assert_eq!(client.state_of("SELECT kb_embed('a text', $1, 8)", &[&model]), "22023", "{name}");
    }
    assert!(mock.calls().is_empty());
    client.run("SELECT kb_embed('a text', 'mock/models/small', 8)");
    assert_eq!(mock.calls()[0].path, "/v1beta/models/small:batchEmbedContents");
}

/// Two sessions create a provider or a secret of the same name at the same time: one of them owns it.
#[test]
fn one_of_two_sessions_gets_a_name() {
    let database = Database::create();
    let [first, second] = ["first", "second"].map(|prefix| database.create_owner(prefix));
    for (mine, theirs) in [
        ("SELECT kb_provider_set('p', kind => 'openai')", "SELECT kb_provider_set('p', kind => 'ollama')"),
        (
            "SELECT kb_secret_set('s', 'one', 'https://one.example.com')",
            "SELECT kb_secret_set('s', 'two', 'https://two.example.com')",
        ),
    ] {
        let mut holder = database.connect_as(&first);
        let mut observer = database.connect();
        holder.run(&format!("BEGIN; {mine}"));
        let mut other = database.connect_as(&second);
        let pid = other.pid();
        let waiting = Outcome::spawn(other, theirs);
        wait_for_lock(&mut observer, pid);
        holder.run("COMMIT");
        assert_eq!(waiting.join().unwrap().state, "42501", "{theirs}");
    }
    assert_eq!(
        database.connect().value::<String>("SELECT value FROM kb_rag.secret WHERE name = 's'", &[]),
        "one"
    );
}

/// A change of the provider, or of its key, ends the pause that the fault caused.
#[test]
fn a_new_key_ends_a_pause() {
    let mock = Mock::openai();
    let (_database, mut client) = provided(&mock);
    mock.require_key("the-right-key");
    let origin = format!("http://{}", mock.address());
    client.query("SELECT kb_secret_set('key', 'a-wrong-key', $1)", &[&origin]).unwrap();
    client.run("SELECT kb_provider_set('mock', api_key => 'secret:key')");
    client.create_remote_base("notes", "mock/small");
    client.run("SELECT kb_add('notes', 'A text that waits.')");
    wait_until("a pause", || client.value("SELECT EXISTS (SELECT FROM kb_rag.pause)", &[]));
    client.query("SELECT kb_secret_set('key', 'the-right-key', $1)", &[&origin]).unwrap();
    wait_until("the vector", || client.value("SELECT EXISTS (SELECT FROM kb_notes.embedding)", &[]));
    assert!(!client.value::<bool>("SELECT EXISTS (SELECT FROM kb_rag.pause)", &[]));
}

/// By default the model of a base is tested, otherwise the kind's best-known model, whatever the name of the
/// provider.
#[test]
fn a_provider_is_tested_without_a_model() {
    let mock = Mock::openai();
    let database = Database::create();
    let (mut client, notices) = database.connect_listening("postgres");
    client.set_provider("mock", &mock);
    let tried = "SELECT model FROM kb_provider_test('mock')";
    assert_eq!(client.value::<String>(tried, &[]), "mock/text-embedding-3-small");
    let received = notices.take().join("\n");
    let expected = format!("returned {DIMENSIONS} dimensions, but 1536 were expected");
    assert!(received.contains(&expected), "{received}");
    client.create_remote_base("notes", "mock/small");
    notices.take();
    assert_eq!(client.value::<String>(tried, &[]), "mock/small");
    assert_eq!(notices.take(), Vec::<String>::new());
    let google = Mock::google();
    client.set_provider("gemini", &google);
    client.run("SELECT kb_provider_test('gemini', 'text-embedding-004')");
    assert!(notices.take().join("").contains("gemini-embedding-001 replaces it"));
}

/// Work that waited for a privilege is done as soon as it is granted.
#[test]
fn a_grant_applies_at_once() {
    let mock = Mock::openai();
    let (database, mut client) = provided(&mock);
    let owner = database.create_owner("owner");
    client.run(&format!("SELECT kb_provider_grant('mock', '{owner}')"));
    let mut as_owner = database.connect_as(&owner);
    as_owner.create_remote_base("notes", "mock/small");
    client.run(&format!("SELECT kb_provider_revoke('mock', '{owner}')"));
    as_owner.run("SELECT kb_add('notes', 'A text that waits.')");
    wait_until("a reason", || {
        as_owner
            .value("SELECT EXISTS (SELECT FROM kb_rag.failed WHERE reason LIKE 'permission denied%')", &[])
    });
    // By itself it would go on tomorrow.
    wait_until("work that waits", || {
        client.run(
            "UPDATE kb_rag.job SET due_at = now() + interval '1 day' WHERE error IS NOT NULL;
             UPDATE kb_rag.pause SET until = now() + interval '1 day'",
        );
        // The job itself waits, or it is due while its base is paused.
        client.value(
            "SELECT bool_and(worker IS NULL AND (due_at > now() OR error IS NULL AND EXISTS (SELECT FROM kb_rag.pause)))
             FROM kb_rag.job",
            &[],
        )
    });
    client.run(&format!("SELECT kb_provider_grant('mock', '{owner}')"));
    wait_until("the vector", || client.value("SELECT EXISTS (SELECT FROM kb_notes.embedding)", &[]));
}

/// A header may name a key, or contain one that is not recognized, with a word before it.
#[test]
fn a_key_in_a_header_is_not_shown() {
    let mock = Mock::openai();
    let (_database, mut client) = provided(&mock);
    let key = "canary-in-a-header";
    client
        .query("SELECT kb_secret_set('key', $1, $2)", &[&key, &format!("http://{}", mock.address())])
        .unwrap();
    for (header, value) in [("x-key", "Token secret:key"), ("x-team", "Token canary-in-a-header")] {
        client.run(&format!("SELECT kb_provider_set('mock', headers => '{{\"{header}\": \"{value}\"}}')"));
        mock.always(Reply::error(401, &format!("Incorrect key: {key}.")));
        let error = client.query("SELECT kb_embed('a text', 'mock/small')", &[]).unwrap_err();
        let received = format!("{:?}", error.as_db_error().unwrap());
        assert!(received.contains("Incorrect key: ***") && !received.contains("canary"), "{received}");
        assert_eq!(mock.calls().pop().unwrap().header(header), Some(&*format!("Token {key}")));
    }
}

/// Sums of the tokens that a provider reports stay valid numbers.
#[test]
fn absurd_counts_of_tokens_do_not_spoil_the_sums() {
    let mock = Mock::openai();
    let (_database, mut client) = provided(&mock);
    let vector = ["1"; DIMENSIONS].join(",");
    mock.always(Reply::json(format!(
        r#"{{"data":[{{"index":0,"embedding":[{vector}]}}],"usage":{{"prompt_tokens":1,"total_tokens":9223372036854775807}}}}"#
    )));
    for _ in 0..2 {
        client.run("SELECT kb_provider_test('mock', 'small')");
    }
    assert_eq!(client.value::<i64>("SELECT calls FROM kb_rag.usage_daily", &[]), 2);
}

/// The rejection of the old key arrives after the new one was set.
#[test]
fn a_rejection_of_a_replaced_key_pauses_nothing() {
    let mock = Mock::openai();
    let (_database, mut client) = provided(&mock);
    let origin = format!("http://{}", mock.address());
    client.query("SELECT kb_secret_set('key', 'a-wrong-key', $1)", &[&origin]).unwrap();
    client.run("SELECT kb_provider_set('mock', api_key => 'secret:key')");
    client.create_remote_base("notes", "mock/small");
    let gate = Gate::new();
    mock.next(Reply::error(401, "Incorrect key").held(&gate));
    client.run("SELECT kb_add('notes', 'A text that waits.')");
    mock.wait_for_calls(1);
    mock.require_key("the-right-key");
    client.query("SELECT kb_secret_set('key', 'the-right-key', $1)", &[&origin]).unwrap();
    gate.open();
    wait_until("the vector", || client.value("SELECT EXISTS (SELECT FROM kb_notes.embedding)", &[]));
    let keys: Vec<Option<String>> =
        mock.calls().iter().map(|call| call.header("authorization").map(str::to_string)).collect();
    assert_eq!(keys, ["Bearer a-wrong-key", "Bearer the-right-key"].map(|key| Some(key.to_string())));
}

/// A base with an unknown model asks once for its dimensions; if that fails, it says why.
#[test]
fn a_base_finds_the_dimensions_of_its_model() {
    let mock = Mock::openai();
    mock.set_dimensions(12);
    let (_database, mut client) = provided(&mock);
    client.run("SELECT kb_create('notes', model => 'mock/some-model')");
    assert_eq!(client.value::<i32>("SELECT dimensions FROM kb_list()", &[]), 12);
    assert_eq!(mock.calls().len(), 1);
    mock.always(Reply::error(503, "busy").header("retry-after", "7"));
    let error = client.batch_execute("SELECT kb_create('more', model => 'mock/other-model')").unwrap_err();
    let error = error.as_db_error().unwrap();
    assert_eq!((error.code().code(), error.hint()), ("58000", Some("Try again in 7 s.")));
    // The dimensions of a known model are known.
    mock.heal();
    mock.forget_calls();
    client.run("SELECT kb_create('known', model => 'mock/text-embedding-3-small')");
    assert_eq!(client.value::<i32>("SELECT dimensions FROM kb_list() WHERE name = 'known'", &[]), 1536);
    assert!(mock.calls().is_empty());
    // More dimensions than the model has are not available.
    assert_eq!(
        client.state_of(
            "SELECT kb_create('x', model => 'mock/text-embedding-3-small', dimensions => 4000)",
            &[]
        ),
        "22023"
    );
}

/// With the key in the place of KEY the calls in the hint are all that a built-in provider needs.
#[test]
fn the_hint_of_a_missing_key_leads_to_a_key() {
    let mock = Mock::openai();
    mock.require_key("sk-of-the-hint");
    let database = Database::create();
    let mut client = database.connect();
    client.run(&format!(
        "UPDATE kb_rag.provider SET base_url = '{}', api_key = 'env:KB_RAG_TEST_NOT_SET' WHERE name = 'openai'",
        mock.base_url()
    ));
    let embed = "SELECT kb_embed('a text', 'openai/small', 8)";
    let error = client.batch_execute(embed).unwrap_err();
    let hint = error.as_db_error().unwrap().hint().unwrap().to_string();
    let calls: Vec<&str> = hint.split("SELECT ").skip(1).collect();
    assert_eq!(calls.len(), 2, "{hint}");
    for call in calls {
        let call = call.trim_end_matches('.').trim_end_matches(" and ");
        client.run(&format!("SELECT {}", call.replace("KEY", "'sk-of-the-hint'")));
    }
    client.run(embed);
    let sent = mock.calls().last().and_then(|call| call.header("authorization").map(str::to_string));
    assert_eq!(sent.as_deref(), Some("Bearer sk-of-the-hint"));
}

/// The hint of a failed call names what to change.
#[test]
fn the_hint_of_a_failed_call_names_the_fix() {
    let mock = Mock::openai();
    let (_database, mut client) = provided(&mock);
    let hint_of = |client: &mut Client| {
        let error = client.batch_execute("SELECT kb_embed('a text', 'mock/small', 8)").unwrap_err();
        error.as_db_error().unwrap().hint().unwrap_or_default().to_string()
    };
    for (reply, named) in [
        (Reply::error(401, "wrong key"), "kb_secret_set"),
        (Reply::error(404, "no such model"), "Check the name of the model"),
        (Reply::error(402, "no credit"), "kb_retry"),
        (Reply::raw(200, "text/html", "<html></html>"), "kind and base_url"),
        (Reply::error(500, "broken"), "Try again later."),
    ] {
        mock.heal();
        mock.always(reply);
        let hint = hint_of(&mut client);
        assert!(hint.contains(named), "{hint}");
    }
    mock.heal();
    let encrypted = mock.base_url().replacen("http://", "https://", 1);
    for (address, named) in [(encrypted.as_str(), "speak https"), ("http://127.0.0.1:1", "Check base_url")] {
        client.run(&format!("SELECT kb_provider_set('mock', base_url => '{address}')"));
        let hint = hint_of(&mut client);
        assert!(hint.contains(named), "{hint}");
    }
}
