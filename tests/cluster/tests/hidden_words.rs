//! Data that row security or a missing privilege hides is not revealed elsewhere: a role that may not read
//! chunks learns no word of them from statistics, plans, views, functions or errors.

use kb_rag_cluster_tests::mock::{Mock, Reply};
use kb_rag_cluster_tests::pipeline::{RemoteSession, wait_until_idle};
use kb_rag_cluster_tests::{Database, Session, wait_until};
use postgres::Client;

/// Words that occur only in the hidden documents: in the text, the title, the heading, the metadata and the
/// key. All are common enough to be among the most common values of statistics.
const HIDDEN: [&str; 5] = ["zirkonium", "quecksilber", "palladium", "wolframite", "molybdenum"];

/// A base with hidden documents, and three roles that may read no chunk.
struct Hidden {
    database: Database,
    owner: Client,
    /// One with no privileges; one with SELECT on `document` under row security only; and one with `read`
    /// except for `chunk`.
    roles: [String; 3],
}

fn hidden() -> Hidden {
    let database = Database::create();
    let roles = ["nobody", "viewer", "reader"].map(|name| database.create_role(name));
    let mut owner = database.connect();
    owner.create_base("mine");
    owner.run(
        "INSERT INTO kb_mine.document (title, content, metadata)
         SELECT 'Open title', 'An open text of the number ' || n, '{\"open\": true}' FROM generate_series(1, 2100) n;
         INSERT INTO kb_mine.document (title, content, metadata, source_key, mime_type)
         SELECT 'Quecksilber report', E'# Palladium\\n\\nAll about zirkonium, number ' || n, '{\"open\": false, \"kind\": \"wolframite\"}',
             'molybdenum/' || n, 'text/markdown'
         FROM generate_series(1, 399) n;
         SELECT kb_reindex('mine');
         INSERT INTO kb_mine.document (title, content, metadata, source_key, mime_type)
         SELECT title, replace(content, ' 399', ' 400'), metadata, 'molybdenum/400', mime_type
         FROM kb_mine.document WHERE source_key = 'molybdenum/399';
         ALTER TABLE kb_mine.document ENABLE ROW LEVEL SECURITY;
         CREATE POLICY open ON kb_mine.document USING ((metadata->>'open')::boolean);
         ANALYZE",
    );
    let [_, viewer, reader] = &roles;
    owner.run(&format!(
        "GRANT USAGE ON SCHEMA kb_mine TO {viewer}; GRANT SELECT ON kb_mine.document TO {viewer};
         SELECT kb_grant('mine', '{reader}', 'read');
         REVOKE SELECT ON kb_mine.chunk FROM {reader}"
    ));
    Hidden { database, owner, roles }
}

/// Everything that a statement reveals: its rows or its error, and whether it returned rows.
fn reported(client: &mut Client, sql: &str) -> (String, bool) {
    match client.simple_query(sql) {
        Ok(messages) => {
            let mut all = String::new();
            for message in &messages {
                if let postgres::SimpleQueryMessage::Row(row) = message {
                    for column in 0..row.len() {
                        all.push_str(row.get(column).unwrap_or(""));
                        all.push('\n');
                    }
                }
            }
            (all, true)
        }
        Err(error) => (format!("{error} {:?}", error.as_db_error()), false),
    }
}

fn words_in(text: &str) -> Vec<&'static str> {
    let text = text.to_lowercase();
    // As they are, and as lexemes: an English stem is the beginning of its word. And as the bytes of both.
    let hex = |word: &str| word.bytes().map(|byte| format!("{byte:02x}")).collect::<String>();
    let occurs = |stem: &str| text.contains(stem) || text.contains(&hex(stem));
    HIDDEN.into_iter().filter(|word| occurs(&word[..word.len() - 2])).collect()
}

/// Everything to read, to call and to ask the planner. None of the statements contains a hidden word.
fn questions(owner: &mut Client) -> Vec<String> {
    let mut all: Vec<String> = owner
        .column::<String>(
            "SELECT format('SELECT t::text FROM %I.%I t', n.nspname, c.relname)
             FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
             WHERE n.nspname IN ('kb_rag', 'kb_mine') AND c.relkind IN ('r', 'v')",
            &[],
        )
        .into_iter()
        .flat_map(|select| {
            [format!("EXPLAIN (VERBOSE) {select}"), format!("EXPLAIN (ANALYZE, VERBOSE) {select}"), select]
        })
        .collect();
    all.extend(
        [
            "SELECT s::text FROM pg_stats s WHERE schemaname LIKE 'kb%'",
            "SELECT s::text FROM pg_stats_ext s",
            "SELECT s::text FROM pg_stats_ext_exprs s",
            "SELECT s::text FROM pg_statistic s",
            "SELECT a::text FROM pg_stat_activity a",
            "SELECT k::text FROM kb_list() k",
            "SELECT e::text FROM kb_estimate('mine') e",
            "SELECT e::text FROM kb_estimate('mine', 'fake/other') e",
            "SELECT s::text FROM kb_search('number report all about', 'mine', 'keyword', 1000) s",
            "SELECT s::text FROM kb_search('number report all about', 'mine', 'semantic', 1000) s",
            "SELECT s::text FROM kb_hybrid_search('number report', match_count => 1000) s",
            "SELECT s::text FROM kb_hybrid_search('report', agent_id => 'a0000000-0000-0000-0000-00000000000a') s",
            "SELECT m::text FROM match_knowledge_chunks('a0000000-0000-0000-0000-00000000000a', kb_embed('x', 'fake/x', 8), 1000, -1) m",
            "SELECT s::text FROM kb_search_documents('number report all about', 'mine', 1000, 'keyword', level => 'content') s",
            "SELECT s::text FROM kb_search_documents('number report all about', match_count => 1000, level => 'content') s",
            "SELECT b::text FROM kb_browse('mine', match_count => 10000) b",
            "SELECT b::text FROM kb_browse(match_count => 10000) b",
            "SELECT s::text FROM kb_stats('mine') s",
            "SELECT s::text FROM kb_stats() s",
            "SELECT r::text FROM kb_mine.document d, kb_read(d.id, knowledge_base => 'mine') r",
            "SELECT kb_refresh(d.id, 'mine') FROM kb_mine.document d LIMIT 1",
            "SELECT kb_delete(d.id, 'mine') FROM kb_mine.document d LIMIT 1",
            "SELECT kb_add_output('mine', repeat('text ', 100))",
            "SELECT kb_add('mine', 'text', source_key => 'open')",
            "SELECT kb_reconcile('mine')",
            "SELECT kb_reindex('mine')",
            "SELECT kb_retry('mine')",
            "SELECT kb_configure('mine', chunk_size => 300)",
            "SELECT kb_grant('mine', 'public', 'read')",
            "SELECT kb_import('mine', 'kb_mine.chunk', '{\"content\": \"content\", \"embedding\": \"embedding\"}')",
            "SELECT kb_attach('kb_mine.document', 'mine', 'content')",
            "SELECT kb_warm_query('x', 'mine')",
            "SELECT kb_drop('mine')",
            "SELECT 1 / (length(content) - length(content)) FROM kb_mine.document",
            "SELECT content::int FROM kb_mine.document ORDER BY (metadata->>'open')",
            "SELECT convert_from(lexeme, 'UTF8')::int FROM kb_mine.keyword_run",
            "SELECT encode(data, 'escape')::int FROM kb_mine.keyword_run",
            "SELECT encode(data, 'escape')::int FROM kb_mine.keyword_segment",
            "SELECT tsv::text::int FROM kb_mine.chunk",
            "COPY kb_mine.keyword_run TO STDOUT",
            "COPY kb_mine.keyword_segment TO STDOUT",
            "SELECT ts_stat('SELECT tsv FROM kb_mine.chunk')",
            "CALL kb_work(1)",
        ]
        .map(str::to_string),
    );
    assert!(all.iter().all(|question| words_in(question).is_empty()));
    all
}

#[test]
fn a_role_that_may_read_no_chunk_learns_no_word_of_one() {
    let mut hidden = hidden();
    let questions = questions(&mut hidden.owner);
    // The hidden words can be found: each occurs in statistics.
    let mut found = String::new();
    for question in &questions {
        if question.starts_with("SELECT t::text") || question.contains("pg_stats s") {
            found += &reported(&mut hidden.owner, question).0;
        }
    }
    assert_eq!(words_in(&found), HIDDEN);
    for table in ["keyword_segment", "keyword_run", "document", "chunk"] {
        assert!(
            !words_in(&reported(&mut hidden.owner, &format!("SELECT t::text FROM kb_mine.{table} t")).0)
                .is_empty(),
            "{table}"
        );
    }
    for (role, sees_documents) in hidden.roles.iter().zip([false, true, true]) {
        let (mut client, notices) = hidden.database.connect_listening(role);
        let mut answered = 0;
        for question in &questions {
            let (answer, has_rows) = reported(&mut client, question);
            assert_eq!(words_in(&answer), [""; 0], "{role}: {question}");
            answered += usize::from(has_rows);
        }
        let notices = notices.take().join("\n");
        assert_eq!(words_in(&notices), [""; 0], "{role}: {notices}");
        assert!(answered > 5, "{role}: {answered} answers");
        let documents = reported(&mut client, "SELECT count(*) FROM kb_mine.document");
        let expected = if sees_documents { "2100\n" } else { "" };
        assert!(if sees_documents { documents.0 == expected } else { !documents.1 }, "{role}: {documents:?}");
        for table in ["chunk", "keyword_segment", "keyword_run"] {
            assert_eq!(
                client.state_of(&format!("SELECT * FROM kb_mine.{table}"), &[]),
                "42501",
                "{role}: {table}"
            );
        }
    }
    // With the chunks, the reader finds the words by every arm, but not in the tables of the keyword index.
    let [_, _, reader] = &hidden.roles;
    hidden.owner.run(&format!(
        "ALTER TABLE kb_mine.document DISABLE ROW LEVEL SECURITY; GRANT SELECT ON kb_mine.chunk TO {reader}"
    ));
    let mut client = hidden.database.connect_as(reader);
    let found: i64 =
        client.value("SELECT count(*) FROM kb_search('zirkonium', 'mine', 'keyword', 1000)", &[]);
    assert_eq!(found, 400);
    for table in ["keyword_segment", "keyword_run"] {
        assert_eq!(client.state_of(&format!("SELECT * FROM kb_mine.{table}"), &[]), "42501", "{table}");
    }
}

/// A provider's message may repeat a text that it was sent.
#[test]
fn messages_of_a_provider_are_not_shown_under_row_security() {
    let (database, mock) = (Database::create(), Mock::openai());
    let mut owner = database.connect();
    owner.set_provider("mock", &mock);
    owner.create_remote_base("notes", "mock/small");
    let reader = database.create_role("reader");
    owner.run(&format!(
        "ALTER TABLE kb_notes.document ENABLE ROW LEVEL SECURITY;
         CREATE POLICY open ON kb_notes.document USING (title IS NULL);
         SELECT kb_grant('notes', '{reader}', 'read')"
    ));
    let mut as_reader = database.connect_as(&reader);
    for (reply, is_pause) in [
        (Reply::error(401, "not with zirkonium"), true),
        (Reply::error(429, "too much zirkonium").header("retry-after", "600"), true),
        (Reply::error(400, "zirkonium is refused"), false),
    ] {
        mock.always(reply);
        owner.run("INSERT INTO kb_notes.document (title, content) VALUES ('hidden', 'zirkonium')");
        let view = if is_pause {
            "SELECT s::text FROM kb_rag.status s WHERE paused IS NOT NULL"
        } else {
            "SELECT f::text FROM kb_rag.failed f"
        };
        let mut of_owner = String::new();
        wait_until("a failure", || {
            of_owner = reported(&mut owner, view).0;
            !of_owner.is_empty()
        });
        assert_eq!(words_in(&of_owner), ["zirkonium"], "the owner sees the message");
        let of_reader = reported(&mut as_reader, view).0;
        assert_eq!(!of_reader.is_empty(), is_pause, "{of_reader}");
        assert_eq!(words_in(&of_reader), [""; 0], "{of_reader}");
        mock.heal();
        owner.run("SELECT kb_retry('notes')");
        wait_until_idle(&mut owner);
    }
}
