//! Keys stay where they were stored, and a provider that fails during a search costs the semantic half of the
//! answer, not the answer.

use std::fs;
use std::path::Path;

use kb_rag_cluster_tests::mock::{Gate, Mock, Reply};
use kb_rag_cluster_tests::pipeline::{Remote, RemoteSession, note, wait_until_idle};
use kb_rag_cluster_tests::{Outcome, Server, Session, wait_until};
use postgres::Client;

/// A key that occurs nowhere else.
const CANARY: &str = "sk-canary-4f1d9c3b7a5e";

/// Command lines and names of all running processes.
fn titles() -> String {
    let mut all = String::new();
    for entry in fs::read_dir("/proc").unwrap().map_while(Result::ok) {
        for file in ["cmdline", "comm"] {
            // Processes without such a file, or that have ended by now, are skipped.
            all += &String::from_utf8_lossy(&fs::read(entry.path().join(file)).unwrap_or_default());
        }
    }
    all
}

/// What processes and pg_stat_activity show during a call with the key, in a session and in a worker.
fn shown_in_a_call(server: &Server, mock: &Mock) -> String {
    let mut observer = server.connect();
    let mut all = String::new();
    for (who, statement) in [
        ("a session", "SELECT kb_embed('a text of a call that is held', 'mock/small', 8)"),
        ("a worker", "SELECT kb_add('notes', 'A text of a call that is held.')"),
    ] {
        let held = Gate::new();
        mock.always(Reply::right().held(&held));
        let calling = Outcome::spawn(server.connect(), statement);
        mock.wait_until(who, |calls| calls.iter().any(|call| call.ended.is_none()));
        let authorization = mock.calls().into_iter().find(|call| call.ended.is_none()).unwrap();
        assert_eq!(authorization.header("authorization"), Some(&*format!("Bearer {CANARY}")), "{who}");
        let now = titles();
        assert!(now.contains("postgres: "), "titles of the server's processes can be read");
        all += &now;
        let activity: Vec<String> = observer.column("SELECT a::text FROM pg_stat_activity a", &[]);
        assert!(
            activity.iter().any(|row| row.contains(if who == "a worker" {
                "kb_rag worker"
            } else {
                "kb_embed"
            })),
            "{who}: {activity:#?}"
        );
        all += &activity.join("\n");
        held.open();
        assert_eq!(calling.join().unwrap().state, "00000");
        mock.heal();
        wait_until_idle(&mut observer);
    }
    all
}

/// All that a client is told of an error.
fn reported(client: &mut Client, sql: &str) -> String {
    match client.batch_execute(sql) {
        Ok(()) => String::new(),
        Err(error) => format!("{error} {:?}", error.as_db_error()),
    }
}

/// Every relation of kb_rag and of the base as text, as far as the session may read it.
fn readable(client: &mut Client) -> String {
    let relations: Vec<String> = client.column(
        "SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname LIKE 'kb\\_%' AND c.relkind IN ('r', 'v', 'm', 'p') AND has_table_privilege(c.oid, 'SELECT')",
        &[],
    );
    let mut all = String::new();
    for relation in relations {
        let rows: Vec<String> =
            client.column(&format!("SELECT coalesce(t::text, '') FROM {relation} t"), &[]);
        all += &rows.join("\n");
    }
    let listed: Vec<String> = client.column("SELECT l::text FROM kb_provider_list() l", &[]);
    all + &listed.join("\n")
}

/// Every way to fail and to succeed with the key, in a session and in a worker, with a provider that repeats
/// the key in its answers. Returns everything that a client was told.
fn use_the_key(server: &Server, mock: &Mock) -> String {
    let mut client = server.connect();
    let (user, mut all_reported) = ("reader", String::new());
    client.run(&format!(
        "CREATE ROLE {user} LOGIN; SELECT kb_provider_grant('mock', '{user}'); SELECT kb_grant('notes', '{user}', 'admin')"
    ));
    let mut reader = server.connect_to("postgres", user);
    let echo = format!("the key {CANARY} in Authorization: Bearer {CANARY} is not mine");
    for (what, reply) in [
        ("right", Reply::right()),
        ("401", Reply::error(401, &echo)),
        ("429", Reply::error(429, &echo).header("retry-after", "1")),
        ("500", Reply::error(500, &echo)),
        ("400", Reply::error(400, &echo)),
        ("404", Reply::error(404, &echo)),
        ("HTML", Reply::raw(200, "text/html", format!("<p>{echo}</p>"))),
        ("inside", Reply::json(format!(r#"{{"error": {{"message": "{echo}"}}}}"#))),
        (
            "escaped",
            Reply::raw(500, "application/json", r#"{"error": {"message": "sk-\u0063anary-4f1d9c3b7a5e"}}"#),
        ),
        (
            "header",
            Reply::raw(302, "text/plain", "moved")
                .header("location", &format!("http://127.0.0.1:1/{CANARY}")),
        ),
        ("cut", Reply::cut()),
        ("garbage", Reply::garbage()),
        ("reset", Reply::reset()),
    ] {
        mock.always(reply);
        for statement in [
            "SELECT kb_embed('a text', 'mock/small', 8)",
            "SELECT count(*) FROM kb_search('what', 'notes', 'semantic')",
            "SELECT count(*) FROM kb_hybrid_search('what', 'notes')",
            "SELECT kb_provider_test('mock', 'small')",
            "SELECT kb_warm_query('what else', 'notes')",
        ] {
            all_reported += &reported(&mut client, statement);
            all_reported += &reported(&mut reader, statement);
        }
        let before = mock.calls().len();
        client.run(&format!("SELECT kb_add('notes', 'A text that meets {what}.')"));
        mock.wait_until("a call of a worker", |calls| {
            calls[before..].iter().any(|call| call.ended.is_some() && call.mentions("A text that meets"))
        });
        all_reported += &readable(&mut reader);
        all_reported += &reported(&mut client, "CALL kb_work(1)");
        all_reported += &readable(&mut reader);
        mock.heal();
        client.run("SELECT kb_retry('notes')");
        wait_until_idle(&mut client);
    }
    all_reported += &shown_in_a_call(server, mock);
    let used = mock.calls().iter().filter(|call| call.header("authorization").is_some()).count();
    assert_eq!(used, mock.calls().len(), "every call has the key");
    all_reported
}

fn assert_canary_is_nowhere(server: &Server, all_reported: &str) {
    let context = |text: &str| {
        let at = text.find(CANARY).unwrap_or(0);
        let start = text.floor_char_boundary(at.saturating_sub(300));
        text[start..text.ceil_char_boundary((at + 100).min(text.len()))].to_string()
    };
    assert!(!all_reported.contains(CANARY), "reported: …{}…", context(all_reported));
    let log = server.log();
    assert!(!log.contains(CANARY), "in the log: …{}…", context(&log));
    let output = server.program("pg_dump").args(["-d", "postgres"]).output().unwrap();
    assert!(output.status.success());
    let dump = String::from_utf8_lossy(&output.stdout);
    assert!(!dump.contains(CANARY), "in a dump: …{}…", context(&dump));
}

/// A server that logs as much as possible except the statements themselves, and a base whose provider
/// requires the key.
fn careful_server(key: &str, before: impl FnOnce(&mut Client, &Mock)) -> (Server, Mock) {
    careful_server_with(&[], key, before)
}

/// The same with settings.
fn careful_server_with(
    settings: &[&str],
    key: &str,
    before: impl FnOnce(&mut Client, &Mock),
) -> (Server, Mock) {
    let settings = [&["-c", "log_min_messages=debug2", "-c", "log_connections=on"], settings].concat();
    let server = Server::start_in(&[("KB_RAG_TEST_CANARY", CANARY)], &settings);
    let mock = Mock::openai();
    mock.require_key(CANARY);
    let mut client = server.connect();
    client.run("CREATE EXTENSION kb_rag CASCADE");
    before(&mut client, &mock);
    client.set_provider("mock", &mock);
    client.run(&format!("SELECT kb_provider_set('mock', api_key => '{key}')"));
    client.create_remote_base("notes", "mock/small");
    (server, mock)
}

#[test]
fn a_key_in_a_file_appears_nowhere() {
    let file = std::env::temp_dir().join(format!("kb_rag-key-{}", std::process::id()));
    fs::write(&file, format!("{CANARY}\n")).unwrap();
    let (server, mock) = careful_server(&format!("file:{}", file.display()), |_, _| {});
    let all_reported = use_the_key(&server, &mock);
    assert_canary_is_nowhere(&server, &all_reported);
    assert!(all_reported.contains("***"), "the provider's message is shown without the key");
    fs::remove_file(Path::new(&file)).unwrap();
}

#[test]
fn a_key_in_the_environment_appears_nowhere() {
    let (server, mock) = careful_server("env:KB_RAG_TEST_CANARY", |_, _| {});
    let all_reported = use_the_key(&server, &mock);
    assert_canary_is_nowhere(&server, &all_reported);
}

#[test]
fn a_key_in_a_secret_appears_nowhere() {
    let (server, mock) = careful_server("secret:canary", |client, mock| {
        let origin = format!("http://{}", mock.address());
        // debug2 logs no statement, and pg_stat_activity shows no parameters.
        client.query("SELECT kb_secret_set('canary', $1, $2)", &[&CANARY, &origin]).unwrap();
    });
    let all_reported = use_the_key(&server, &mock);
    assert_canary_is_nowhere(&server, &all_reported);
}

/// A server that logs every statement, but no parameter. PostgreSQL decides what to log before kb_rag sees a
/// statement, so the log would contain a key typed into a statement, or a parameter without
/// log_parameter_max_length = 0.
#[test]
fn a_key_given_as_a_parameter_is_in_no_logged_statement() {
    let settings = [
        "log_statement=all",
        "log_min_duration_statement=0",
        "log_parameter_max_length=0",
        "log_duration=on",
    ]
    .map(|setting| ["-c", setting]);
    let (server, mock) = careful_server_with(&settings.concat(), "secret:canary", |client, mock| {
        let origin = format!("http://{}", mock.address());
        client.query("SELECT kb_secret_set('canary', $1, $2)", &[&CANARY, &origin]).unwrap();
        for statement in [
            "SELECT kb_secret_set('no name', $1, $2)",
            "SELECT kb_secret_set('other', $1, $2 || '?no=origin')",
            "SELECT kb_provider_set('x', kind => 'openai', api_key => $1, base_url => $2)",
            "SELECT kb_provider_set('x', kind => 'openai', api_key => 'Bearer ' || $1, base_url => $2)",
            "SELECT kb_provider_set('x', kind => 'openai', base_url => $2 || '/' || $1 || '?key=' || $1)",
        ] {
            let error = client.query(statement, &[&CANARY, &origin]).unwrap_err();
            let error = error.as_db_error().unwrap();
            assert_eq!(error.code().code(), "22023", "{statement}: {error:?}");
            assert!(!format!("{error:?}").contains(CANARY), "{statement}: {error:?}");
        }
    });
    let log = server.log();
    for logged in ["kb_secret_set('canary', $1, $2)", "api_key => $1", "LOG:  duration"] {
        assert!(log.contains(logged), "{logged} is not logged");
    }
    let all_reported = use_the_key(&server, &mock);
    assert_canary_is_nowhere(&server, &all_reported);
}

/// A key in a place that only allows a reference is rejected, and the error does not repeat it.
#[test]
fn a_key_in_the_wrong_place_is_rejected_without_repeating_it() {
    // Logs everything about a failing statement except what is logged before it begins.
    let settings =
        ["log_min_error_statement=debug5", "log_min_duration_statement=0", "log_error_verbosity=verbose"]
            .map(|setting| ["-c", setting]);
    let server = Server::start_with(&settings.concat());
    let mut client = server.connect();
    client.run("CREATE EXTENSION kb_rag CASCADE");
    assert_eq!(client.state_of("SELECT 1 / 0", &[]), "22012");
    assert!(server.log().contains("STATEMENT:  SELECT 1 / 0"), "statements that fail are logged");
    for statement in [
        format!("SELECT kb_secret_set('no name', '{CANARY}', 'http://127.0.0.1:1')"),
        format!("SELECT kb_secret_set('canary', '{CANARY}', 'no origin')"),
        format!("SELECT kb_secret_set('canary', '{CANARY}', 'http://user:{CANARY}@127.0.0.1:1')"),
        format!(
            "SELECT kb_provider_set('x', kind => 'openai', base_url => 'http://127.0.0.1:1', api_key => '{CANARY}')"
        ),
        format!(
            "SELECT kb_provider_set('x', kind => 'openai', base_url => 'http://127.0.0.1:1', api_key => 'Bearer {CANARY}')"
        ),
        format!(
            "SELECT kb_provider_set('x', kind => 'openai', base_url => 'http://user:{CANARY}@127.0.0.1:1')"
        ),
        format!(
            "SELECT kb_provider_set('x', kind => 'openai', base_url => 'http://127.0.0.1:1/v1?key={CANARY}')"
        ),
    ] {
        let error = client.batch_execute(&statement).unwrap_err();
        let error = error.as_db_error().unwrap();
        assert_eq!(error.code().code(), "22023", "{error:?}");
        assert!(!format!("{error:?}").contains(CANARY), "{error:?}");
    }
    let log = server.log();
    assert!(!log.contains(CANARY), "the statement is logged with the key in it");
}

/// A secret belongs to one origin: another address of the same provider does not receive it.
#[test]
fn a_key_never_goes_to_another_address() {
    let (server, mock) = careful_server("secret:canary", |client, mock| {
        let origin = format!("http://{}", mock.address());
        client.query("SELECT kb_secret_set('canary', $1, $2)", &[&CANARY, &origin]).unwrap();
    });
    let other = Mock::openai();
    let mut client = server.connect();
    client.run("SELECT kb_embed('a text', 'mock/small', 8)");
    // By a redirect.
    for status in [301, 302, 303, 307, 308] {
        let location = format!("{}/embeddings", other.base_url());
        mock.next(Reply::raw(status, "text/plain", "over there").header("location", &location));
        // A different text each time, so that no cache answers.
        let state = client.state_of(&format!("SELECT kb_embed('text {status}', 'mock/small', 8)"), &[]);
        assert_eq!(state, "38000", "{status}");
    }
    assert!(other.calls().is_empty(), "a redirect was followed");
    // By a change of the row.
    client.run(&format!("SELECT kb_provider_set('mock', base_url => '{}')", other.base_url()));
    assert_eq!(client.state_of("SELECT kb_embed('a new text', 'mock/small', 8)", &[]), "42501");
    client.run("SELECT kb_add('notes', 'A text for a worker.')");
    wait_until("a worker that is refused", || {
        client.value("SELECT EXISTS (SELECT FROM kb_rag.failed) OR EXISTS (SELECT FROM kb_rag.status WHERE paused IS NOT NULL)", &[])
    });
    assert!(other.calls().is_empty());
}

#[test]
fn a_search_with_a_failing_provider_uses_keywords() {
    let mut remote = Remote::start();
    remote.client.insert_notes(1, 20);
    remote.finish();
    remote.client.run("SELECT kb_provider_set('mock', timeout => '500 ms')");
    let (mut client, notices) = remote.database.connect_listening("postgres");
    for (n, (what, reply, state)) in [
        ("500", Reply::error(500, "broken inside"), "58000"),
        ("429", Reply::error(429, "slow down"), "58000"),
        ("401", Reply::error(401, "who are you"), "38000"),
        ("400", Reply::error(400, "not this"), "38000"),
        ("HTML", Reply::raw(200, "text/html", "<html>"), "38000"),
        ("a zero vector", Reply::changed(|v| v[0].vector.fill(0.0)), "22000"),
        ("a hang", Reply::hang(), "58000"),
        ("a reset", Reply::reset(), "58000"),
    ]
    .into_iter()
    .enumerate()
    {
        remote.mock.always(reply);
        // A different question each time, so that no cache answers.
        let question = format!("number {}", n + 1);
        notices.take();
        let found: Vec<String> =
            client.column("SELECT content FROM kb_hybrid_search($1, 'notes', 1)", &[&question]);
        assert_eq!(found, [note(n as i32 + 1)], "{what}");
        let warnings = notices.take();
        println!("{what}: {warnings:?}");
        assert_eq!(warnings.len(), 1, "{what}: {warnings:?}");
        assert!(warnings[0].contains("keyword"), "{what}: {warnings:?}");
        // A search for the semantic half alone fails with an error.
        let question = format!("number {} alone", n + 1);
        let given =
            client.state_of("SELECT content FROM kb_search($1, 'notes', 'semantic', 1)", &[&question]);
        assert_eq!(given, state, "{what}");
        // Read-only transactions and standbys can search too.
        client.run("BEGIN READ ONLY");
        assert_eq!(
            client.column::<String>("SELECT content FROM kb_hybrid_search('number 3', 'notes', 1)", &[]),
            [note(3)]
        );
        client.run("COMMIT");
        remote.mock.wait_until_quiet();
        remote.mock.heal();
    }
    notices.take();
    let found: Vec<String> =
        client.column("SELECT content FROM kb_search($1, 'notes', 'semantic', 1)", &[&note(5)]);
    assert_eq!((found, notices.take()), (vec![note(5)], Vec::new()), "all is well again");
}

/// Roles without a grant on the provider cannot spend its owner's money. A reader of a base searches it with
/// the base's provider.
#[test]
fn a_provider_is_only_for_roles_with_a_grant() {
    let mut remote = Remote::start();
    let stranger = remote.database.create_role("stranger");
    remote.client.insert_notes(1, 3);
    remote.finish();
    let calls = remote.mock.calls().len();
    let mut as_stranger = remote.database.connect_as(&stranger);
    for statement in [
        "SELECT kb_embed('mine', 'mock/small', 8)",
        "SELECT count(*) FROM kb_embed_batch(ARRAY['mine'], 'mock/small', 8)",
        "SELECT kb_warm_query('mine', 'notes')",
        "SELECT count(*) FROM kb_search('mine', 'notes', 'semantic')",
        "SELECT count(*) FROM kb_provider_test('mock', 'small')",
        "SELECT kb_provider_set('mock', base_url => 'http://127.0.0.1:1')",
        "SELECT kb_provider_drop('mock')",
        "SELECT kb_retry('notes')",
    ] {
        assert_eq!(as_stranger.state_of(statement, &[]), "42501", "{statement}");
        assert_eq!(remote.mock.calls().len(), calls, "an untrusted role called the provider: {statement}");
    }
    remote.client.run(&format!("SELECT kb_grant('notes', '{stranger}', 'read')"));
    let found: Vec<String> =
        as_stranger.column("SELECT content FROM kb_search($1, 'notes', 'semantic', 1)", &[&note(2)]);
    assert_eq!(found, [note(2)]);
    assert_eq!(as_stranger.state_of("SELECT kb_embed('mine', 'mock/small', 8)", &[]), "42501");
}

/// A base uses its model with the privilege of its owner, whichever role administers it.
#[test]
fn an_administrator_with_a_grant_gives_the_owner_of_a_base_none() {
    let mut remote = Remote::start();
    let owner = remote.database.create_role("owner");
    remote.client.run(&format!("SELECT kb_grant_admin('{owner}')"));
    remote
        .database
        .connect_as(&owner)
        .run("SELECT kb_create('theirs', model => 'fake/test', dimensions => 8)");
    let configure = "SELECT kb_configure('theirs', model => 'mock/small')";
    assert_eq!(remote.client.state_of(configure, &[]), "42501");
    remote.client.run(&format!("SELECT kb_provider_grant('mock', '{owner}')"));
    assert_eq!(remote.client.state_of(configure, &[]), "00000");
}
