//! Separate servers: a crash in the middle of writing, and a hot standby that is promoted.

use std::thread;

use kb_rag_cluster_tests::{
    Server, Session, assert_consistent, assert_figures, counts, sqlstate, wait_until,
};
use postgres::Client;

/// Writes until the server is gone; returns how many documents were committed.
fn write_until_gone(mut client: Client, label: &str) -> i64 {
    let mut committed = 0;
    for n in 0.. {
        let statement = match n % 10 {
            // Deleted together, or not at all.
            8 => format!(
                "BEGIN; DELETE FROM kb_notes.document WHERE source_key = '{label} {0}'; \
                 INSERT INTO kb_notes.document (source_key, content) SELECT '{label} {n} ' || i, 'Bulk text ' || i \
                 FROM generate_series(1, 30) i; COMMIT",
                n - 1
            ),
            9 => format!(
                "UPDATE kb_notes.document SET content = content || ' Changed.', language = 'de' \
                 WHERE source_key = '{label} {0}'",
                n - 9
            ),
            _ => format!(
                "INSERT INTO kb_notes.document (source_key, content) VALUES ('{label} {n}', 'Text number {n} of {label}.')"
            ),
        };
        let state = sqlstate(&client.batch_execute(&statement));
        if state != "00000" {
            // The server ended the statement, or was gone already.
            assert!(["57P01", "57P02", "08006"].contains(&state.as_str()), "{statement}: {state}");
            break;
        }
        committed += [1, 1, 1, 1, 1, 1, 1, 1, 29, 0][n % 10];
    }
    committed
}

#[test]
fn a_crash_leaves_statistics_that_match_the_chunks() {
    let server = Server::start();
    server.connect().run("CREATE EXTENSION kb_rag CASCADE");
    server.connect().create_base("notes");
    let mut least = 0;
    for crash in 1..=2 {
        let writers: Vec<_> = ["left", "middle", "right"]
            .into_iter()
            .map(|label| {
                let client = server.connect();
                thread::spawn(move || write_until_gone(client, &format!("{label} {crash}")))
            })
            .collect();
        let mut observer = server.connect();
        // Enough for merges and, the second time, for counts of the common lexemes.
        wait_until("a base of many documents", || counts(&mut observer, "kb_notes")[0] > crash * 1500);
        server.crash();
        least += writers.into_iter().map(|writer| writer.join().unwrap()).sum::<i64>();
        let mut client = server.connect();
        assert_figures(&mut client, "kb_notes");
        let documents = counts(&mut client, "kb_notes")[0];
        assert!(documents >= least, "{documents} documents of {least} committed");
        least = documents;
        let found: i64 =
            client.value("SELECT count(*) FROM kb_search('bulk text 7', 'notes', 'keyword')", &[]);
        assert_eq!(found, 5);
    }
    let mut client = server.connect();
    client.run("SELECT kb_add('notes', 'After the crash.')");
    client.run("DELETE FROM kb_notes.document WHERE source_key LIKE 'left%'");
    assert_figures(&mut client, "kb_notes");
    assert_consistent(&mut client, "notes", "kb_notes");
}

/// Chunks, similarities and scores of searches by keyword, by vector and by both.
fn answers(client: &mut Client) -> Vec<String> {
    let mut answers = Vec::new();
    for query in
        ["animal", "cats and dogs", "number 7 or 42", "\"number 12\"", "-cats animal", "the", "Katzen"]
    {
        for search in [
            "kb_search($1, 'notes', 'keyword', 20)",
            "kb_search($1, 'notes', 'keyword', 20, ranker => 'ts_rank')",
            "kb_search($1, 'notes', 'semantic', 20)",
            "kb_hybrid_search($1, 'notes', 20)",
            "kb_hybrid_search($1, 'notes', 20, filter => '{\"language\": \"de\"}')",
            // With the local model, and over both bases.
            "kb_search($1, 'handbook', 'semantic', 20)",
            "kb_hybrid_search($1, 'handbook', 20, fusion => 'relative')",
            "kb_hybrid_search($1, match_count => 20)",
        ] {
            answers.push(format!("{search} {query}"));
            answers.extend(client.column::<String>(
                &format!("SELECT format('%s %s %s', chunk_id, similarity, score) FROM {search}"),
                &[&query],
            ));
        }
    }
    answers.extend(client.column::<String>(
        "SELECT format('%s %s', id, similarity) FROM match_knowledge_chunks(
             (SELECT id FROM kb_list() WHERE name = 'handbook'), kb_embed('do I get my money back?'), 5, 0)",
        &[],
    ));
    answers
}

#[test]
fn a_standby_gives_the_same_answers_and_can_be_promoted() {
    let primary = Server::start();
    let mut client = primary.connect();
    client.run("CREATE EXTENSION kb_rag CASCADE");
    client.create_base("notes");
    client.run(
        "INSERT INTO kb_notes.document (title, content, language)
         SELECT 'Animal ' || n, CASE WHEN n % 9 = 0 THEN 'Katzen und Hunde, Nummer ' ELSE 'Cats and dogs and animal number ' END
            || n || repeat(' and more', n % 5), CASE WHEN n % 9 = 0 THEN 'de' END
         FROM generate_series(1, 2500) n;
         SELECT kb_create('handbook');
         INSERT INTO kb_handbook.document (title, content) VALUES
             ('Refunds', 'You can return any item within thirty days. The money goes back to the card you paid with.'),
             ('Delivery', 'Parcels within Europe arrive in three to five working days.')",
    );
    // Pending work, which a standby must not touch.
    client.run(
        "SET kb_rag.workers = 0;
         SELECT kb_create('later', model => 'fake/test', dimensions => 8, embed => 'queued');
         INSERT INTO kb_later.document (content) VALUES ('Embedded after the promotion.')",
    );
    let standby = primary.standby();
    // Replayed from the WAL, not copied.
    client.run("DELETE FROM kb_notes.document WHERE title LIKE 'Animal 2%'");
    for n in 0..250 {
        client.run(&format!("INSERT INTO kb_notes.document (content) VALUES ('Late animal {n}')"));
    }
    standby.catch_up(&primary);
    let expected = answers(&mut client);
    assert!(expected.len() > 500, "{} answers", expected.len());
    let mut copy = standby.connect();
    assert!(copy.value::<bool>("SELECT pg_is_in_recovery()", &[]));
    assert_eq!(copy.state_of("SELECT kb_add('notes', 'Not here.')", &[]), "25006");
    assert_eq!(answers(&mut copy), expected, "on the standby");
    assert_figures(&mut copy, "kb_notes");
    copy.run("SET default_transaction_read_only = on");
    assert_eq!(answers(&mut copy), expected, "read only");
    copy.run("BEGIN ISOLATION LEVEL REPEATABLE READ");
    assert_eq!(answers(&mut copy), expected, "in a snapshot");
    copy.run("COMMIT; RESET default_transaction_read_only");

    let jobs: Vec<String> = copy.column("SELECT kind FROM kb_rag.job ORDER BY 1", &[]);
    assert_eq!(jobs, ["embed", "merge"], "jobs on the standby");
    assert!(!standby.log().contains("PANIC"), "{}", standby.log());

    assert!(copy.value::<bool>("SELECT pg_promote()", &[]));
    assert_eq!(answers(&mut copy), expected, "after promotion");
    copy.run("SELECT kb_add('notes', 'A platypus swims.', source_key => 'p')");
    copy.run("DELETE FROM kb_notes.document WHERE title LIKE 'Animal 1%'");
    let found: Vec<String> =
        copy.column("SELECT content FROM kb_search('platypus', 'notes', 'keyword')", &[]);
    assert_eq!(found, ["A platypus swims."]);
    assert_figures(&mut copy, "kb_notes");
    assert_consistent(&mut copy, "notes", "kb_notes");
    assert_eq!(answers(&mut client), expected, "the primary, unchanged");
    // A new session detects the work and starts a worker.
    let mut after = standby.connect();
    after.run("SELECT count(*) FROM kb_list()");
    wait_until("the work that waited", || copy.value::<i64>("SELECT count(*) FROM kb_rag.job", &[]) == 0);
    let segments: i64 = copy.value("SELECT count(*) FROM kb_notes.keyword_segment", &[]);
    assert!(segments < 100, "{segments} segments, merged");
    assert_consistent(&mut copy, "notes", "kb_notes");
}
