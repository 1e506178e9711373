//! `kb-rag index`: what is sent, what stays, what is removed, and which source it belongs to.

use std::fs;

use kb_rag_cluster_tests::client::{Folder, Run, index};
use kb_rag_cluster_tests::{Database, Session, socket_directory, wait_until};
use postgres::Client;

fn run(database: &Database, folder: &Folder, arguments: &[&str]) -> Run {
    run_at(database, folder.path(), arguments)
}

fn run_at(database: &Database, path: &std::path::Path, arguments: &[&str]) -> Run {
    let arguments = [&["--base", "notes"], arguments].concat();
    Run::from_command(&mut index(&socket_directory(), database.name(), "postgres", path, &arguments))
}

fn keys(client: &mut Client) -> Vec<String> {
    client.column("SELECT source_key FROM kb_notes.document ORDER BY source_key COLLATE \"C\"", &[])
}

#[test]
fn only_what_changed_is_sent() {
    let (database, mut client) = Database::with_base("notes");
    let folder = Folder::with(&[
        ("a.md", "# Alpha\n\ntext"),
        ("sub dir/it's \"b\".txt", "beta"),
        ("código.py", "x = 1\n"),
    ]);
    let first = run(&database, &folder, &[]);
    first.expect(0, "3 added, 0 changed, 0 unchanged, 0 removed, 0 skipped, 0 failed");
    assert!(first.output.contains("added sub dir/it's \"b\".txt\n"), "{first:?}");
    assert_eq!(keys(&mut client), ["a.md", "código.py", "sub dir/it's \"b\".txt"]);
    let types = client
        .column::<String>("SELECT source_type FROM kb_notes.document ORDER BY source_key COLLATE \"C\"", &[]);
    assert_eq!(types, ["document", "code", "document"]);
    let source = "SELECT s.title || ' ' || s.status || ' ' || (s.location = $1) || ' ' || (s.last_synced_at IS NOT NULL)
        FROM kb_notes.source s WHERE s.kind = 'directory'";
    let path = folder.path().canonicalize().unwrap();
    let title = path.file_name().unwrap().to_str().unwrap();
    assert_eq!(
        client.column::<String>(source, &[&path.to_str().unwrap()]),
        [format!("{title} indexed true true")]
    );
    let versions = "SELECT string_agg(xmin::text, ' ' ORDER BY source_key) FROM kb_notes.document";
    let before: String = client.value(versions, &[]);

    run(&database, &folder, &[]).expect(0, "0 added, 0 changed, 3 unchanged, 0 removed, 0 skipped, 0 failed");
    assert_eq!(client.value::<String>(versions, &[]), before, "rows that were written");

    folder.write("a.md", "# Alpha\n\nnew text");
    folder.write("c.md", "gamma");
    run(&database, &folder, &["--dry-run"]).expect(
        0,
        "dry run, nothing was changed: 1 added, 1 changed, 2 unchanged, 0 removed, 0 skipped, 0 failed",
    );
    assert_eq!(client.value::<String>(versions, &[]), before, "rows that were written");
    run(&database, &folder, &[]).expect(0, "1 added, 1 changed, 2 unchanged, 0 removed, 0 skipped, 0 failed");
    let content: String =
        client.value("SELECT content FROM kb_notes.document WHERE source_key = 'a.md'", &[]);
    assert_eq!(content, "# Alpha\n\nnew text");

    // A document that was edited is that of the file again.
    client.run("UPDATE kb_notes.document SET content = 'by hand' WHERE source_key = 'c.md'");
    run(&database, &folder, &["--quiet"]).expect(0, "");
    assert_eq!(
        client.value::<String>("SELECT content FROM kb_notes.document WHERE source_key = 'c.md'", &[]),
        "gamma"
    );

    // Metadata that others added stays, as long as the file does not change.
    client.run("UPDATE kb_notes.document SET metadata = metadata || '{\"own\": 1}'");
    run(&database, &folder, &[]).expect(0, "0 added, 0 changed, 4 unchanged, 0 removed, 0 skipped, 0 failed");
    let arguments = ["--metadata", r#"{"team": "a"}"#, "--language", "de"];
    run(&database, &folder, &arguments)
        .expect(0, "0 added, 4 changed, 0 unchanged, 0 removed, 0 skipped, 0 failed");
    run(&database, &folder, &arguments)
        .expect(0, "0 added, 0 changed, 4 unchanged, 0 removed, 0 skipped, 0 failed");
    let given =
        "SELECT count(*) FROM kb_notes.document WHERE language = 'de' AND metadata @> '{\"team\": \"a\"}'";
    assert_eq!(client.value::<i64>(given, &[]), 4);
}

/// Of 10,000 files, one changed: one call of kb_add_file, and few statements besides.
#[test]
fn a_run_costs_what_changed() {
    let (database, mut client) = Database::with_base("notes");
    let folder = Folder::new();
    for number in 0..10_000 {
        folder.write(&format!("d{}/f{number}.txt", number % 100), format!("text {number}"));
    }
    client.run(&format!("ALTER DATABASE {} SET track_functions = 'all'", database.name()));
    // As 10,000 calls of kb_add_file would have left them, without the minute that these take.
    let path = folder.path().canonicalize().unwrap();
    let source = "INSERT INTO kb_notes.source (kind, location, title) VALUES ('directory', $1, 'x')";
    client.execute(source, &[&path.to_str().unwrap()]).unwrap();
    client.run("SET session_replication_role = 'replica'");
    client.run(
        "INSERT INTO kb_notes.document (source_id, source_key, content, metadata, file_hash, file_bytes, status, reader, reader_version, chunker_version)
         SELECT s.id, 'd' || i % 100 || '/f' || i || '.txt', t, jsonb_build_object('filename', 'f' || i || '.txt'),
            sha256(convert_to(t, 'UTF8')), length(t), 'indexed', 'text', 1000, 1000
         FROM kb_notes.source s, generate_series(0, 9999) i, LATERAL (SELECT 'text ' || i) t (t)",
    );
    let calls =
        "SELECT coalesce(sum(calls), 0)::int8 FROM pg_stat_user_functions WHERE funcname = 'kb_add_file'";
    let transactions =
        "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()";
    let is_idle = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'kb-rag'";
    folder.write("d7/f7.txt", "another text");
    client.run("SELECT pg_stat_force_next_flush()");
    let before: i64 = client.value(transactions, &[]);
    run(&database, &folder, &[])
        .expect(0, "0 added, 1 changed, 9999 unchanged, 0 removed, 0 skipped, 0 failed");
    // A session writes its statistics at its end.
    wait_until("no session of the program", || client.value::<i64>(is_idle, &[]) == 0);
    client.run("SELECT pg_stat_clear_snapshot()");
    assert_eq!(client.value::<i64>(calls, &[]), 1);
    let sent = client.value::<i64>(transactions, &[]) - before;
    assert!(sent < 100, "{sent} transactions");
}

#[test]
fn directories_of_the_same_name_stay_apart() {
    let (database, mut client) = Database::with_base("notes");
    let folder = Folder::with(&[
        ("one/docs/README.md", "the first"),
        ("two/docs/README.md", "the second"),
        ("two/docs/b.md", "b"),
    ]);
    let [one, two] = ["one/docs", "two/docs"].map(|name| folder.path().join(name));
    client.run("SELECT kb_add('notes', 'without a source', source_key => 'README.md')");
    run_at(&database, &one, &[]).expect(0, "1 added, 0 changed, 0 unchanged, 0 removed, 0 skipped, 0 failed");
    run_at(&database, &two, &[]).expect(0, "2 added, 0 changed, 0 unchanged, 0 removed, 0 skipped, 0 failed");
    assert_eq!(keys(&mut client), ["README.md", "README.md", "README.md", "b.md"]);
    folder.remove("two/docs/b.md");
    run_at(&database, &two, &["--remove-missing"])
        .expect(0, "0 added, 0 changed, 1 unchanged, 1 removed, 0 skipped, 0 failed");
    run_at(&database, &one, &["--remove-missing"])
        .expect(0, "0 added, 0 changed, 1 unchanged, 0 removed, 0 skipped, 0 failed");
    let contents: Vec<String> = client.column("SELECT content FROM kb_notes.document ORDER BY content", &[]);
    assert_eq!(contents, ["the first", "the second", "without a source"]);
    // Through a symbolic link it is the same directory.
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&one, &link).unwrap();
    run_at(&database, &link, &[])
        .expect(0, "0 added, 0 changed, 1 unchanged, 0 removed, 0 skipped, 0 failed");
}

#[test]
fn a_name_follows_a_directory_that_moves() {
    let (database, mut client) = Database::with_base("notes");
    let folder = Folder::with(&[("old/a.md", "a")]);
    run_at(&database, &folder.path().join("old"), &["--name", "manual"])
        .expect(0, "1 added, 0 changed, 0 unchanged, 0 removed, 0 skipped, 0 failed");
    fs::rename(folder.path().join("old"), folder.path().join("new")).unwrap();
    let new = folder.path().join("new");
    run_at(&database, &new, &["--name", "manual"])
        .expect(0, "0 added, 0 changed, 1 unchanged, 0 removed, 0 skipped, 0 failed");
    // The only source of this path.
    run_at(&database, &new, &[]).expect(0, "0 added, 0 changed, 1 unchanged, 0 removed, 0 skipped, 0 failed");
    let location: String = client.value("SELECT location FROM kb_notes.source WHERE title = 'manual'", &[]);
    assert_eq!(location, new.canonicalize().unwrap().to_str().unwrap());
    // Another machine has another directory at this path.
    client.run("UPDATE kb_notes.source SET options = options || '{\"host\": \"another.example\"}'");
    run_at(&database, &new, &[])
        .fails(2, &["was loaded from machine \"another.example\"", "Give --name \"manual\""]);
    run_at(&database, &new, &["--name", "manual"])
        .expect(0, "0 added, 0 changed, 1 unchanged, 0 removed, 0 skipped, 0 failed");
}

#[test]
fn missing_files_are_removed_only_if_asked() {
    let (database, mut client) = Database::with_base("notes");
    let folder =
        Folder::with(&[("a.md", "a"), ("b.md", "b"), ("c.txt", "c"), ("sub/d.md", "d"), ("e.md", "e")]);
    run(&database, &folder, &[]).expect(0, "5 added, 0 changed, 0 unchanged, 0 removed, 0 skipped, 0 failed");
    for name in ["b.md", "c.txt", "sub/d.md"] {
        folder.remove(name);
    }
    folder.write("e.md", "");
    run(&database, &folder, &[])
        .expect(0, "0 added, 0 changed, 1 unchanged, 0 removed, 1 skipped, 0 failed")
        .fails(0, &["warning e.md: the file is empty now; its document stays"]);
    assert_eq!(keys(&mut client).len(), 5);
    // A file that is ignored now is still there.
    folder.write(".gitignore", "a.md\n");
    run(&database, &folder, &["--remove-missing", "--glob", "*.md", "--exclude", "sub/"])
        .expect(0, "0 added, 0 changed, 0 unchanged, 2 removed, 1 skipped, 0 failed");
    assert_eq!(keys(&mut client), ["a.md", "c.txt", "sub/d.md"]);
    run(&database, &folder, &["--remove-missing"])
        .expect(0, "0 added, 0 changed, 0 unchanged, 2 removed, 1 skipped, 0 failed");
    assert_eq!(keys(&mut client), ["a.md"]);
    folder.remove("a.md");
    let refused = run(&database, &folder, &["--remove-missing"]);
    refused.fails(1, &["would remove the only document of this source", "add --force"]);
    assert_eq!(keys(&mut client), ["a.md"]);
    run(&database, &folder, &["--remove-missing", "--force"])
        .expect(0, "0 added, 0 changed, 0 unchanged, 1 removed, 1 skipped, 0 failed");
    assert_eq!(keys(&mut client).len(), 0);
}

#[test]
fn patterns_and_rules_to_ignore_choose_the_files() {
    let (database, mut client) = Database::with_base("notes");
    let folder = Folder::with(&[
        (".gitignore", "*.log\n"),
        (".hidden/a.md", "a"),
        ("a.md", "a"),
        ("b.log", "b"),
        ("c.txt", "c"),
        ("drafts/d.md", "d"),
        ("e.png", "\u{0}"),
        ("empty.md", ""),
    ]);
    let run =
        run(&database, &folder, &["--glob", "*.md", "--glob", "*.png", "--exclude", "drafts/", "--verbose"]);
    run.expect(0, "1 added, 0 changed, 0 unchanged, 0 removed, 2 skipped, 0 failed");
    assert!(run.output.contains("skipped e.png: unsupported (a PNG image)\n"), "{run:?}");
    assert!(run.output.contains("skipped empty.md: empty\n"), "{run:?}");
    assert_eq!(keys(&mut client), ["a.md"]);
}

#[test]
fn what_cannot_be_read_is_no_failure() {
    let (database, mut client) = Database::with_base("notes");
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR";
    let folder = Folder::with(&[
        ("tea.md", "# Tea"),
        ("logo.svg", "<svg><text>x</text></svg>"),
        ("mail.eml", "From: ann"),
        ("page.mht", "From: ann"),
        ("page.mhtml", "From: ann"),
        ("plot.eps", "%!PS-Adobe-3.0 EPSF-3.0"),
        ("plot.ps", "%!PS-Adobe-3.0"),
        ("README.unheard", "Read me."),
        ("table.xls", "one\ttwo"),
    ]);
    folder.write("image.txt", png);
    folder.write("paper.dat", "%PDF-1.4 and no more");
    let first = run(&database, &folder, &["--verbose"]);
    // Bytes, not the name, tell that a file is a PDF file, and damaged.
    first
        .expect(1, "3 added, 0 changed, 0 unchanged, 0 removed, 7 skipped, 1 failed")
        .fails(1, &["failed paper.dat: file \"paper.dat\" is damaged: "]);
    for skipped in ["image.txt: unsupported (a PNG image)", "logo.svg: unsupported (an SVG image)"] {
        assert!(first.output.contains(&format!("skipped {skipped}\n")), "{first:?}");
    }
    assert_eq!(keys(&mut client), ["README.unheard", "table.xls", "tea.md"]);
    folder.remove("paper.dat");
    run(&database, &folder, &[]).expect(0, "0 added, 0 changed, 3 unchanged, 0 removed, 7 skipped, 0 failed");
    folder.write("tea.md", png);
    run(&database, &folder, &[])
        .expect(0, "0 added, 0 changed, 2 unchanged, 0 removed, 8 skipped, 0 failed")
        .fails(0, &["warning tea.md: the file is a PNG image now, which cannot be read; its document stays"]);
    assert_eq!(keys(&mut client).len(), 3);
}

/// A server that reads SVG images, and one kind of text less.
#[test]
fn a_server_of_another_version_says_what_it_reads() {
    let (database, mut client) = Database::with_base("notes");
    let folder = Folder::with(&[("a.svg", "<svg/>"), ("b.md", "# Tea"), ("c.png", "\u{0}")]);
    client.run(
        "SET allow_system_table_mods = on;
         UPDATE pg_extension SET extversion = '9.0.0' WHERE extname = 'kb_rag';
         CREATE OR REPLACE FUNCTION kb_add_file(knowledge_base text, file bytea, filename text, title text DEFAULT NULL,
            source_key text DEFAULT NULL, source_type text DEFAULT NULL, metadata jsonb DEFAULT '{}',
            mime_type text DEFAULT NULL, language text DEFAULT NULL, password text DEFAULT NULL,
            source_id uuid DEFAULT NULL)
         RETURNS uuid LANGUAGE plpgsql AS $$
         BEGIN
            IF filename LIKE '%.md' THEN
                RAISE EXCEPTION USING ERRCODE = '22023',
                    MESSAGE = format('file \"%s\" is an antique, which cannot be read', filename);
            END IF;
            RETURN gen_random_uuid();
         END $$",
    );
    let run = run(&database, &folder, &["--verbose"]);
    run.expect(0, "1 added, 0 changed, 0 unchanged, 0 removed, 2 skipped, 0 failed");
    for line in
        ["added a.svg", "skipped b.md: unsupported (an antique)", "skipped c.png: unsupported (a PNG image)"]
    {
        assert!(run.output.contains(&format!("{line}\n")), "{run:?}");
    }
}

/// Files whose bytes are the same are read again if an earlier version read or cut them.
#[test]
fn what_an_earlier_version_made_is_sent() {
    let (database, mut client) = Database::with_base("notes");
    let folder = Folder::with(&[("a.md", "# Alpha\n\ntext"), ("b.html", "<p>beta</p>"), ("c.md", "# Gamma")]);
    run(&database, &folder, &[]).expect(0, "3 added, 0 changed, 0 unchanged, 0 removed, 0 skipped, 0 failed");
    let chunks = "SELECT concat_ws(' ', c.id, e.xmin) FROM kb_notes.chunk c JOIN kb_notes.embedding e ON e.chunk_id = c.id ORDER BY 1";
    let before: Vec<String> = client.column(chunks, &[]);
    let age = |client: &mut Client, columns: &str, key: &str| {
        client.run(&format!(
            "ALTER TABLE kb_notes.document DISABLE TRIGGER USER;
             UPDATE kb_notes.document SET {columns} WHERE source_key = '{key}';
             ALTER TABLE kb_notes.document ENABLE TRIGGER USER"
        ));
    };
    age(&mut client, "reader = NULL, reader_version = NULL, chunker_version = NULL", "a.md");
    age(&mut client, "reader_version = reader_version - 1", "b.html");
    run(&database, &folder, &["--dry-run"]).expect(
        0,
        "dry run, nothing was changed: 0 added, 2 changed, 1 unchanged, 0 removed, 0 skipped, 0 failed",
    );
    run(&database, &folder, &[]).expect(0, "0 added, 2 changed, 1 unchanged, 0 removed, 0 skipped, 0 failed");
    run(&database, &folder, &[]).expect(0, "0 added, 0 changed, 3 unchanged, 0 removed, 0 skipped, 0 failed");
    age(&mut client, "chunker_version = NULL", "c.md");
    run(&database, &folder, &[]).expect(0, "0 added, 1 changed, 2 unchanged, 0 removed, 0 skipped, 0 failed");
    assert_eq!(client.column::<String>(chunks, &[]), before);
    let outdated = "SELECT outdated FROM kb_rag.status WHERE knowledge_base = 'notes'";
    assert_eq!(client.value::<i64>(outdated, &[]), 0);
    // A document whose file is gone stays, and the program says so.
    age(&mut client, "reader_version = 0", "b.html");
    std::fs::remove_file(folder.path().join("b.html")).unwrap();
    let said = run(&database, &folder, &[]);
    said.expect(0, "0 added, 0 changed, 2 unchanged, 0 removed, 0 skipped, 0 failed");
    let message = "1 document of an earlier version of kb_rag stays as it is: its file is gone";
    assert!(said.errors.contains(message), "{said:?}");
    assert_eq!(keys(&mut client), ["a.md", "b.html", "c.md"]);
    assert_eq!(client.value::<i64>(outdated, &[]), 1);
    // Tables of kb_rag 0.3, as a dump restores them.
    client.run("ALTER TABLE kb_notes.document DROP COLUMN reader, DROP COLUMN reader_version, DROP COLUMN chunker_version");
    run(&database, &folder, &[]).expect(0, "0 added, 0 changed, 2 unchanged, 0 removed, 0 skipped, 0 failed");
}
