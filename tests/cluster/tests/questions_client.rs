//! `kb-rag questions`: questions from a file, and back.

use std::thread;

use kb_rag_cluster_tests::client::{Folder, Run, quality};
use kb_rag_cluster_tests::pipeline::{Signal, signal};
use kb_rag_cluster_tests::{Database, Session, socket_directory, wait_until};
use postgres::Client;

const LINES: &str = r#"{"question": "how do I prime the pump", "expected_keys": ["pump"], "tags": ["pumps", "spring"], "weight": 2.5}

{"question": "what does the \"valve\"\ndo", "expected_texts": ["it's closed\t\\ shut"], "filter": {"team": ["a", "b"], "year": {"$gte": 2020}}, "agent": "site 7"}
{"question": "who won the world cup 🏆", "is_draft": true}
"#;

fn call(database: &Database, role: &str, arguments: &[&str]) -> std::process::Command {
    quality(&socket_directory(), database.name(), role, &[&["questions"], arguments].concat())
}

fn run(database: &Database, role: &str, arguments: &[&str]) -> Run {
    Run::from_command(&mut call(database, role, arguments))
}

fn import(database: &Database, base: &str, lines: &str) -> Run {
    Run::with_input(&mut call(database, "postgres", &["import", "--base", base, "-"]), lines)
}

fn rows(client: &mut Client, base: &str) -> Vec<String> {
    client.column(
        &format!("SELECT (to_jsonb(q) - 'id' - 'created_at')::text FROM kb_{base}.question q ORDER BY q.id"),
        &[],
    )
}

#[test]
fn what_is_imported_is_exported() {
    let (database, mut client) = Database::with_base("notes");
    client.create_base("copy");
    let folder = Folder::with(&[("questions.jsonl", LINES)]);
    let path = folder.path().join("questions.jsonl");
    run(&database, "postgres", &["import", path.to_str().unwrap(), "--base", "notes"])
        .expect(0, "3 added, 0 skipped");
    let agent: bool = client
        .value("SELECT agent_id = kb_agent('site 7') FROM kb_notes.question WHERE agent_id IS NOT NULL", &[]);
    assert!(agent);
    let drafts: Vec<bool> = client.column("SELECT is_draft FROM kb_notes.question ORDER BY id", &[]);
    assert_eq!(drafts, [false, false, true]);

    let exported = run(&database, "postgres", &["export", "--base", "notes"]);
    assert_eq!((exported.status, exported.output.lines().count()), (Some(0), 3), "{exported:?}");
    import(&database, "copy", &exported.output).expect(0, "3 added, 0 skipped");
    let expected = rows(&mut client, "notes");
    assert_eq!(rows(&mut client, "copy"), expected);
    let again = run(&database, "postgres", &["export", "--base", "copy"]);
    assert_eq!(again.output, exported.output);
    let tagged = run(&database, "postgres", &["export", "--base", "notes", "--tag", "spring"]);
    assert_eq!(tagged.output.lines().collect::<Vec<_>>(), [exported.output.lines().next().unwrap()]);

    // What is there is skipped, in a file too; other expectations make another question.
    let more = format!(
        "{LINES}{}\n{}\n{}\n",
        r#"{"question": "how do I prime the pump", "expected_keys": ["pump", "pump"]}"#,
        r#"{"question": "how do I prime the pump", "expected_keys": ["valve"]}"#,
        r#"{"question": "how do I prime the pump", "expected_keys": ["valve"], "weight": 3}"#
    );
    import(&database, "notes", &more).expect(0, "1 added, 5 skipped");
    import(&database, "notes", "").expect(0, "0 added, 0 skipped");
    assert_eq!(rows(&mut client, "notes").len(), 4);
}

#[test]
fn a_mistake_adds_nothing() {
    let (database, mut client) = Database::with_base("notes");
    let good = r#"{"question": "good"}"#;
    for (line, said) in [
        (
            r#"{"question": "a", "expected_kyes": []}"#,
            &[
                "standard input, line 3: unknown member \"expected_kyes\"",
                "Perhaps you meant \"expected_keys\".",
            ][..],
        ),
        (
            r#"{"question": "a", "weight": "2"}"#,
            &["line 3: \"weight\" is \"2\"", "It has to be a number above 0."],
        ),
        // These the server finds, after it added the first.
        (r#"{"question": "a", "filter": {"$near": 1}}"#, &["line 3: ", "$near"]),
        (r#"{"question": "a", "tags": ["\u0000"]}"#, &["line 3: "]),
        (r#"{"question": "a", "agent": ""}"#, &["line 3: "]),
    ] {
        import(&database, "notes", &format!("{good}\n\n{line}\n")).fails(2, said);
        let tables = "SELECT count(*) FROM pg_class WHERE relnamespace = 'kb_notes'::regnamespace AND relname = 'question'";
        assert_eq!(client.value::<i64>(tables, &[]), 0, "{line}");
    }
    run(&database, "postgres", &["import", "/nowhere", "--base", "notes"]).fails(2, &["cannot be read"]);
    import(&database, "nots", good).fails(1, &["knowledge base \"nots\" does not exist"]);
    run(&database, "postgres", &["export", "--base", "notes"])
        .fails(1, &["has no questions", "kb_question_add"]);
    // The positive control.
    import(&database, "notes", good).expect(0, "1 added, 0 skipped");
}

#[test]
fn questions_are_for_administrators() {
    let (database, mut client) = Database::with_base("notes");
    let [reader, admin] = ["reader", "admin"].map(|name| database.create_role(name));
    client
        .run(&format!("SELECT kb_grant('notes', '{reader}', 'read'), kb_grant('notes', '{admin}', 'admin')"));
    let folder = Folder::with(&[("q", "{\"question\": \"a\"}")]);
    let path = folder.path().join("q");
    let arguments = ["import", "--base", "notes", path.to_str().unwrap()];
    run(&database, &reader, &arguments)
        .fails(1, &["error: must be an administrator of knowledge base \"notes\""]);
    run(&database, &admin, &arguments).expect(0, "1 added, 0 skipped");
    run(&database, &admin, &arguments).expect(0, "0 added, 1 skipped");
    run(&database, &reader, &arguments)
        .fails(1, &["error: must be an administrator of knowledge base \"notes\""]);
    run(&database, &reader, &["export", "--base", "notes"]).fails(1, &["error: must be an administrator"]);
    run(&database, &admin, &["export", "--base", "notes"]).expect(0, "{\"question\": \"a\"}");
}

#[test]
fn an_interrupted_import_adds_nothing() {
    let (database, mut client) = Database::with_base("notes");
    import(&database, "notes", "{\"question\": \"a\"}").expect(0, "1 added, 0 skipped");
    let folder = Folder::with(&[("q", "{\"question\": \"b\"}")]);
    let path = folder.path().join("q");
    client.run("BEGIN; LOCK kb_notes.question IN SHARE ROW EXCLUSIVE MODE");
    // Within a transaction pg_stat_activity stays as it was read first.
    let mut observer = database.connect();
    let arguments = ["import", "--base", "notes", path.to_str().unwrap()];
    let child = call(&database, "postgres", &arguments).spawn().unwrap();
    wait_until("the import waits", || {
        observer.value::<bool>(
            "SELECT EXISTS (SELECT FROM pg_stat_activity
                WHERE application_name = 'kb-rag' AND datname = current_database() AND wait_event_type = 'Lock')",
            &[],
        )
    });
    signal(child.id() as i32, Signal::INT);
    Run::end(child).fails(130, &["interrupted"]);
    client.run("COMMIT");
    assert_eq!(rows(&mut client, "notes").len(), 1);
    run(&database, "postgres", &arguments).expect(0, "1 added, 0 skipped");
}

/// Also the first questions, which make the table.
#[test]
fn imports_at_the_same_time_add_a_question_once() {
    let (database, mut client) = Database::with_base("notes");
    let lines: String = (0..50).map(|number| format!("{{\"question\": \"q{number}\"}}\n")).collect();
    let sums: Vec<String> = thread::scope(|scope| {
        let runs: Vec<_> = (0..3).map(|_| scope.spawn(|| import(&database, "notes", &lines))).collect();
        runs.into_iter().map(|run| run.join().unwrap().sum().to_string()).collect()
    });
    assert_eq!(rows(&mut client, "notes").len(), 50, "{sums:?}");
    assert_eq!(sums.iter().filter(|sum| *sum == "0 added, 50 skipped").count(), 2, "{sums:?}");
}
