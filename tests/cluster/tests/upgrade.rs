//! Updates from released versions: ALTER EXTENSION UPDATE, and dumps of older versions. Requires dev's with_old_versions: the
//! install scripts of tests/upgrade beside that of this version. tests/upgrade/released_bases.sql made the bases of the dumps.

use std::fs::File;
use std::path::{Path, PathBuf};

use kb_rag_cluster_tests::{
    Database, Session, assert_figures, assert_nothing_to_reconcile, client_program, counts, wait_until,
};
use postgres::Client;

/// Rows of the catalog: object, property, value.
const CATALOG: &str = include_str!("../../upgrade/catalog.sql");
/// The structure of one base.
const SHAPE: &str = include_str!("../../upgrade/base.sql");

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../upgrade").join(name)
}

/// Released versions: each has an install script and a dump of its bases.
const RELEASES: [&str; 1] = ["0.3.0"];

/// Restores a dump with bases that an older version created.
fn restore_old_bases(database: &Database, version: &str) {
    let restored = client_program("psql")
        .args(["-q", "-X", "-v", "ON_ERROR_STOP=1", "-d", database.name()])
        .stdin(File::open(fixture(&format!("bases-{version}.sql"))).unwrap())
        .output()
        .unwrap();
    assert!(restored.status.success(), "{}", String::from_utf8_lossy(&restored.stderr));
}

/// A database as an older version left it, but with the present library.
fn old(version: &str) -> Database {
    let database = Database::bare("");
    database.connect().run(&format!("CREATE EXTENSION vector; CREATE EXTENSION kb_rag VERSION '{version}'"));
    restore_old_bases(&database, version);
    database
}

fn catalog(client: &mut Client) -> Vec<String> {
    let sql = format!("SELECT concat_ws(' | ', object, property, value) FROM ({CATALOG}) c");
    client.column(&sql, &[])
}

/// The entries of one list that the other lacks, for a readable assertion.
fn difference(of: &[String], without: &[String]) -> Vec<String> {
    of.iter().filter(|line| !without.contains(line)).cloned().collect()
}

fn assert_same(updated: &[String], fresh: &[String]) {
    let (surplus, missing) = (difference(updated, fresh), difference(fresh, updated));
    assert!(
        surplus.is_empty() && missing.is_empty() && updated.len() == fresh.len(),
        "only where it was updated: {surplus:#?}\nonly where it was installed: {missing:#?}"
    );
}

/// Functions, tables, views, comments, privileges, and what a dump contains.
#[test]
fn an_updated_catalog_equals_an_installed_one() {
    let fresh = catalog(&mut Database::create().connect());
    assert!(fresh.len() > 100, "{fresh:#?}");
    for version in RELEASES {
        let database = old(version);
        let mut client = database.connect();
        let before = catalog(&mut client);
        client.run("ALTER EXTENSION kb_rag UPDATE");
        assert_ne!(before, fresh, "{version} installs the present catalog: nothing is tested");
        assert_same(&catalog(&mut client), &fresh);
    }
}

/// pgvector stays as it is in an update.
#[test]
fn an_update_warns_of_an_old_pgvector() {
    for version in RELEASES {
        for (pgvector, warns) in [("0.8.1", true), ("0.8.2", false)] {
            let database = old(version);
            let (mut client, notices) = database.connect_listening("postgres");
            client
                .run(&format!("UPDATE pg_extension SET extversion = '{pgvector}' WHERE extname = 'vector'"));
            notices.take();
            client.run("ALTER EXTENSION kb_rag UPDATE");
            let said = notices.take();
            let found =
                said.iter().any(|notice| notice.starts_with("pgvector 0.8.1 is installed: parallel builds"));
            assert_eq!(found, warns, "{said:?}");
        }
    }
}

/// Such a type may have been created since the older version was installed.
#[test]
fn an_update_refuses_a_malicious_type() {
    for version in RELEASES {
        let database = Database::bare("");
        let mut client = database.connect();
        client.run(&format!(
            "CREATE SCHEMA target; CREATE EXTENSION vector; CREATE EXTENSION kb_rag SCHEMA target VERSION '{version}';
             CREATE DOMAIN target.vector AS int4"
        ));
        assert_eq!(client.state_of("ALTER EXTENSION kb_rag UPDATE", &[]), "42710", "{version}");
        client.run("DROP DOMAIN target.vector; ALTER EXTENSION kb_rag UPDATE");
    }
}

/// Titles in result order.
fn titles(client: &mut Client, search: &str) -> Vec<String> {
    client.column(&format!("SELECT title FROM {search}"), &[])
}

/// The bases of the dump return results, from both arms and by agent.
fn assert_old_bases_answer(client: &mut Client) {
    assert_eq!(titles(client, "kb_hybrid_search('how do refunds work?', 'handbook', 1)"), ["Refunds"]);
    assert_eq!(titles(client, "kb_search('when does it arrive', 'handbook', 'semantic', 1)"), ["Delivery"]);
    assert_eq!(titles(client, "kb_search('Katzen im Haus', 'Old notes', 'keyword')"), ["Tiere"]);
    for (agent, query, title) in [('a', "changed", "Note 3"), ('b', "cats", "Note 1")] {
        let search = format!(
            "kb_hybrid_search('{query}', agent_id => 'a0000000-0000-0000-0000-00000000000{agent}', match_count => 1)"
        );
        assert_eq!(titles(client, &search), [title]);
    }
    assert_eq!(
        titles(client, "kb_search('Note', 'Old notes', 'keyword') WHERE title IN ('Note 7', 'Note 8')"),
        [""; 0]
    );
    let similar =
        "SELECT content FROM kb_hybrid_search('how long?', 'drinks', 1, query_embedding => '[1,0,0]')";
    assert_eq!(client.column::<String>(similar, &[]), ["Tea needs four minutes."]);
    assert_eq!(titles(client, "kb_search('nine hours', 'shop', 'keyword', 1)"), ["Lamp"]);
    for (word, title) in [("Fluss", "Fluss"), ("rivière", "Rivière"), ("река", "Река"), ("河流", "河流")]
    {
        assert_eq!(titles(client, &format!("kb_search('{word}', 'languages', 'keyword')")), [title]);
    }
    for (base, word) in [
        ("index hnsw", "river"),
        ("index ivfflat", "river"),
        ("index none", "river"),
        ("wide", "river"),
        ("off", "river"),
        ("cut text", "rivers"),
        ("cut markdown", "rivers"),
        ("cut code", "river"),
        ("cut semantic", "rivers"),
        ("cut none", "short"),
        ("files", "rivers"),
    ] {
        for mode in ["keyword", "hybrid"] {
            let found = format!("SELECT count(*) FROM kb_search('{word}', '{base}', '{mode}', 1)");
            assert_eq!(client.value::<i64>(&found, &[]), 1, "{base} {mode}");
        }
    }
}

/// What else the catalog and the bases of the dump have.
fn assert_old_rows_are_there(client: &mut Client) {
    for (sql, expected) in [
        ("SELECT name FROM kb_list() WHERE name IN ('draft', 'final')", "final"),
        ("SELECT calls::text FROM kb_rag.usage_daily WHERE model = 'company/m' AND day = '2026-11-22'", "3"),
        ("SELECT unnest(headers) FROM kb_provider_list() WHERE name = 'company' AND NOT builtin", "x-team"),
        ("SELECT role FROM kb_rag.provider_grant WHERE provider = 'company'", "public"),
        ("SELECT next_model FROM kb_rag.knowledge_base WHERE name = 'moving'", "company/next"),
        ("SELECT match_threshold::text FROM kb_rag.knowledge_base WHERE name = 'cloud'", "0.25"),
        ("SELECT index_method FROM kb_rag.knowledge_base WHERE name = 'index ivfflat'", "ivfflat"),
        ("SELECT location FROM kb_source_list('web')", "https://example.com/docs/"),
        ("SELECT content FROM kb_prompt_list() WHERE id = 'rewrite'", "Expand abbreviations."),
        ("SELECT count(*)::text FROM kb_files.collection", "1"),
        ("SELECT has_table_privilege('public', 'kb_handbook.document', 'SELECT')::text", "true"),
        ("SELECT has_table_privilege('public', 'kb_old_notes.document', 'SELECT')::text", "false"),
    ] {
        assert_eq!(client.column::<String>(sql, &[]), [expected], "{sql}");
    }
}

/// The bases of the dump follow writes.
fn assert_old_bases_follow_writes(client: &mut Client) {
    for schema in ["kb_handbook", "kb_old_notes"] {
        assert_figures(client, schema);
    }
    let before = counts(client, "kb_old_notes");
    client.run(
        "SELECT kb_add('Old notes', 'A platypus swims.', title => 'New', source_key => 'notes/1.md');
         INSERT INTO kb_old_notes.document (title, content) VALUES ('Newer', 'A wombat digs.')",
    );
    assert_eq!(counts(client, "kb_old_notes"), before.map(|count| count + 1));
    assert_eq!(titles(client, "kb_search('platypus', 'Old notes', 'keyword')"), ["New"]);
    assert_figures(client, "kb_old_notes");
    client.run(
        "INSERT INTO articles VALUES (3, 'Torch', 'A platypus lamp for the pocket.', 'light');
         UPDATE parts SET body = 'A platypus of brass.'",
    );
    let found = "SELECT count(*) FROM kb_search('platypus', 'shop', 'keyword')";
    assert_eq!(client.value::<i64>(found, &[]), 2);
    client.run("CALL kb_work(10)");
    // A worker may have it.
    wait_until("the vector that waited", || {
        client.value("SELECT EXISTS (SELECT FROM kb_waiting.embedding)", &[])
    });
    assert_eq!(titles(client, "kb_search('what waits?', 'waiting', 'semantic', 1)"), ["Pending"]);
    let bases: Vec<String> =
        client.column("SELECT name FROM kb_list() WHERE name NOT IN ('cloud', 'moving') ORDER BY name", &[]);
    assert!(bases.len() > 15, "{bases:?}");
    for name in bases {
        assert_nothing_to_reconcile(client, &name);
    }
}

fn assert_old_bases_work(client: &mut Client) {
    assert_old_bases_answer(client);
    assert_old_rows_are_there(client);
    assert_old_bases_follow_writes(client);
}

/// The format has not risen: the present library serves a database before its update too.
#[test]
fn bases_keep_working_before_and_after_the_update() {
    for version in RELEASES {
        let database = old(version);
        let mut open_before = database.connect();
        assert_old_bases_answer(&mut open_before);
        assert_old_rows_are_there(&mut open_before);
        let dump = client_program("pg_dump").args(["-d", database.name()]).output();
        assert!(dump.is_ok_and(|dump| dump.status.success()), "pg_dump failed");
        database.connect().run("ALTER EXTENSION kb_rag UPDATE");
        assert_old_bases_work(&mut database.connect());
        // Reconnecting is not necessary.
        assert_eq!(titles(&mut open_before, "kb_search('platypus', 'Old notes', 'keyword')"), ["New"]);
    }
}

/// An update changes no row of a base. Bases get the new format of lexemes when they are told to, and answer as before.
#[test]
fn bases_of_older_versions_change_their_lexemes_when_told() {
    RELEASES.into_iter().for_each(assert_lexemes_change_when_told);
}

fn assert_lexemes_change_when_told(version: &str) {
    const ROWS: &str = "SELECT c.id || ' ' || c.xmin || ' ' || c.ctid || ' ' || c.text_config FROM kb_old_notes.chunk c ORDER BY 1";
    const FORMATS: &str = "SELECT lexeme_format || ' ' || fold_accents || ' ' || count(*) FROM kb_list() GROUP BY lexeme_format, fold_accents ORDER BY 1";
    let database = old(version);
    database.set("kb_rag.workers", "0");
    let mut client = database.connect();
    let rows: Vec<String> = client.column(ROWS, &[]);
    // The catalog cannot record another format yet.
    client.run(
        "SELECT kb_create('early', model => 'fake/test', dimensions => 8);
         INSERT INTO kb_early.document (content) VALUES ('An early numbat');
         SELECT kb_reindex('early'); SELECT kb_configure('early', text_config => 'simple')",
    );
    let bases: i64 = client.value("SELECT count(*) FROM kb_list()", &[]);
    client.run("ALTER EXTENSION kb_rag UPDATE");
    assert_eq!(client.column::<String>(FORMATS, &[]), [format!("1 true {bases}")], "{version}");
    assert_eq!(client.column::<String>(ROWS, &[]), rows, "{version}");
    assert!(client.column::<String>("SELECT kind FROM kb_rag.job WHERE kind = 'lexemes'", &[]).is_empty());
    let answers = ["cats part 3", "Katzen", "\"animal number\""].map(|query| {
        format!("SELECT title || score FROM kb_search('{query}', 'Old notes', 'keyword', 50, syntax => 'web') ORDER BY 1")
    });
    let answer = |client: &mut Client| answers.each_ref().map(|sql| client.column::<String>(sql, &[]));
    let before = answer(&mut client);
    client.run("SELECT kb_configure('Old notes', lexeme_format => 2)");
    let kept = "SELECT count(*) FROM kb_old_notes.chunk WHERE text_config !~ '/2f$'";
    let jobs = "SELECT count(*) FROM kb_rag.job WHERE kind = 'lexemes'";
    // Other bases have work that waits for providers.
    wait_until("the change", || {
        client.run("CALL kb_work(0)");
        client.value::<i64>(jobs, &[]) == 0
    });
    assert_eq!(client.value::<i64>(kept, &[]), 0, "{version}");
    assert_eq!(answer(&mut client), before, "{version}");
    client.run("SELECT kb_reindex('early'); SELECT kb_create('late', model => 'fake/test', dimensions => 8)");
    let formats = [format!("1 true {}", bases - 2), "2 true 3".to_string()];
    assert_eq!(client.column::<String>(FORMATS, &[]), formats, "{version}");
    for base in ["Old notes", "early", "late"] {
        assert_nothing_to_reconcile(&mut client, base);
    }
    assert_figures(&mut client, "kb_old_notes");
}

/// What an older version read and cut stays as it is, counts as outdated, and is made again when that is asked for: then equal
/// chunks keep id and vector.
#[test]
fn documents_of_older_versions_are_outdated() {
    RELEASES.into_iter().for_each(assert_outdated);
}

fn assert_outdated(version: &str) {
    const CHUNKS: &str = "SELECT concat_ws(' ', c.id, encode(c.content_hash, 'hex'), e.xmin) FROM kb_files.chunk c JOIN kb_files.embedding e ON e.chunk_id = c.id ORDER BY 1";
    const COUNTS: &str = "SELECT concat_ws(' ', documents, outdated, outdated_files) FROM kb_rag.status WHERE knowledge_base = 'files'";
    const ROWS: &str = "SELECT concat_ws(' ', id, xmin, ctid) FROM kb_old_notes.document ORDER BY 1";
    let database = old(version);
    database.set("kb_rag.workers", "0");
    let mut client = database.connect();
    let (chunks, rows): (Vec<String>, Vec<String>) = (client.column(CHUNKS, &[]), client.column(ROWS, &[]));
    client.run("ALTER EXTENSION kb_rag UPDATE");
    assert_eq!(client.column::<String>(ROWS, &[]), rows, "{version}");
    assert_eq!(client.value::<String>(COUNTS, &[]), "1 1 1", "{version}");
    // Nothing is made again by itself.
    client.run("CALL kb_work(0)");
    client.run("SELECT kb_reconcile('files'), kb_reconcile('Old notes')");
    assert_eq!(client.value::<String>(COUNTS, &[]), "1 1 1", "{version}");
    assert_eq!(client.column::<String>(ROWS, &[]), rows, "{version}");
    client.run("SELECT kb_reconcile('files', outdated => true)");
    assert_eq!(
        client.value::<String>(COUNTS, &[]),
        "1 1 1",
        "{version}: only the file has what the reader lost"
    );
    client.run(
        "SELECT kb_add_file('files', convert_to(E'# Rivers\n\nThey run to the sea.\n', 'UTF8'), 'rivers.md')",
    );
    assert_eq!(client.value::<String>(COUNTS, &[]), "1 0 0", "{version}");
    assert_eq!(client.column::<String>(CHUNKS, &[]), chunks, "{version}");
    let of_notes = "SELECT outdated = documents FROM kb_rag.status WHERE knowledge_base = 'Old notes'";
    assert!(client.value::<bool>(of_notes, &[]), "{version}");
    client.run("SELECT kb_reconcile('Old notes', outdated => true)");
    let of_notes = "SELECT outdated = 0 FROM kb_rag.status WHERE knowledge_base = 'Old notes'";
    assert!(client.value::<bool>(of_notes, &[]), "{version}");
    assert_nothing_to_reconcile(&mut client, "Old notes");
}

/// A view that calls a function which has got an argument since keeps the old one, and says so.
#[test]
fn an_update_keeps_views_on_searches() {
    for version in RELEASES {
        let database = old(version);
        let (mut client, notices) = database.connect_listening("postgres");
        client.run(
            "CREATE VIEW found AS SELECT title, content FROM kb_search('platypus', 'Old notes', 'keyword')",
        );
        let before: Vec<String> = client.column("SELECT content FROM found", &[]);
        notices.take();
        client.run("ALTER EXTENSION kb_rag UPDATE");
        let said = notices.take();
        assert!(
            said.iter().any(|notice| notice.contains("keep using it, now as kb_rag.kb_search_0_3()")),
            "{said:?}"
        );
        assert_eq!(client.column::<String>("SELECT content FROM found", &[]), before, "{version}");
        assert_eq!(
            client.state_of("SELECT * FROM kb_search('platypus', 'Old notes', match_offset => 1)", &[]),
            "00000"
        );
        client.run("CREATE OR REPLACE VIEW found AS SELECT title, content FROM kb_search('platypus', 'Old notes', 'keyword')");
        client.run(
            "ALTER EXTENSION kb_rag DROP FUNCTION kb_rag.kb_search_0_3; DROP FUNCTION kb_rag.kb_search_0_3",
        );
    }
}

/// The functions whose privileges are compared.
const GRANTED: &str = "'kb_add', 'kb_attach_agent', 'kb_configure', 'kb_create', 'kb_hybrid_search', 'kb_list', 'kb_search', 'match_knowledge_chunks'";

/// Functions that an update creates again keep their privileges: for the roles, in a dump, and for kb_revoke_admin.
#[test]
fn an_update_keeps_privileges_on_functions() {
    RELEASES.into_iter().for_each(assert_privileges_are_kept);
}

fn assert_privileges_are_kept(version: &str) {
    let database = old(version);
    let role = database.create_role("grantee");
    let mut client = database.connect();
    client.run(&format!(
        "GRANT EXECUTE ON FUNCTION kb_create TO PUBLIC, {role};
         REVOKE EXECUTE ON FUNCTION kb_add, kb_attach_agent, kb_configure, kb_list, kb_search, match_knowledge_chunks FROM PUBLIC;
         GRANT EXECUTE ON FUNCTION kb_configure, kb_search TO {role};
         ALTER EXTENSION kb_rag UPDATE"
    ));
    let privileges = format!(
        "SELECT p.proname || ' ' || coalesce(string_agg(coalesce(r.rolname, 'public'), ' ' ORDER BY r.rolname) FILTER (WHERE a.grantee IS NOT NULL), '')
         FROM pg_proc p LEFT JOIN LATERAL aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a ON a.grantee <> p.proowner LEFT JOIN pg_roles r ON r.oid = a.grantee
         WHERE p.proname IN ({GRANTED}) GROUP BY p.proname ORDER BY 1"
    );
    let kept = [
        "kb_add ".to_string(),
        "kb_attach_agent ".to_string(),
        format!("kb_configure {role}"),
        format!("kb_create {role} public"),
        "kb_hybrid_search public".to_string(),
        "kb_list ".to_string(),
        format!("kb_search {role}"),
        "match_knowledge_chunks ".to_string(),
    ];
    assert_eq!(client.column::<String>(&privileges, &[]), kept, "{version}");
    let initial = format!(
        "SELECT p.proname || ' ' || i.initprivs::text FROM pg_init_privs i JOIN pg_proc p ON p.oid = i.objoid
         WHERE i.classoid = 'pg_proc'::regclass AND p.proname IN ({GRANTED}) ORDER BY 1"
    );
    let installed: Vec<String> = Database::create().connect().column(&initial, &[]);
    assert_eq!(installed.len(), 1, "{installed:?}");
    assert_eq!(client.column::<String>(&initial, &[]), installed, "{version}");
    let dump = client_program("pg_dump").args(["-s", "-d", database.name()]).output().unwrap();
    let dump = String::from_utf8(dump.stdout).unwrap();
    for (granted, function) in [
        ("public", "kb_create"),
        (role.as_str(), "kb_create"),
        (role.as_str(), "kb_configure"),
        (role.as_str(), "kb_search"),
    ] {
        let is_dumped = dump.lines().any(|line| {
            line.starts_with(&format!("GRANT ALL ON FUNCTION public.{function}("))
                && line.to_lowercase().ends_with(&format!(" to {granted};"))
        });
        assert!(is_dumped, "{version}: {function} to {granted}");
    }
    client.run(&format!("SELECT kb_revoke_admin('public'); DROP OWNED BY {role}"));
    let left: Vec<String> = client.column(&privileges, &[]);
    let granted: Vec<&str> = left.iter().map(|line| line.trim()).filter(|line| line.contains(' ')).collect();
    assert_eq!(granted, ["kb_hybrid_search public"], "{version}");
}

/// Searches by BM25 over one base: chunk and score, for several queries. `scores` is a query for them, in which {base},
/// {schema} and {query} are filled in.
fn bm25(client: &mut Client, scores: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (base, schema, queries) in [
        ("handbook", "kb_handbook", ["days", "refund my money", "back in five working days"]),
        ("Old notes", "kb_old_notes", ["Katzen", "cats part 3", "filler word 7 and 77 and 777"]),
    ] {
        for query in queries {
            let sql = [("base", base), ("schema", schema), ("query", query)]
                .into_iter()
                .fold(scores.to_string(), |sql, (name, value)| sql.replace(&format!("{{{name}}}"), value));
            let rows = client.column::<String>(&sql, &[]);
            assert!(!rows.is_empty(), "{query}");
            all.extend(rows.iter().map(|row| format!("{query}: {row}")));
        }
    }
    all
}

/// By a search.
const FOUND: &str = "SELECT concat_ws(' ', chunk_id, round(score::numeric, 9))
    FROM kb_search('{query}', '{base}', 'keyword', match_count => 10000) ORDER BY 1";

/// By the formula of the manual, from the lexemes of the chunks, which an update does not change.
const COMPUTED: &str = "WITH setting AS (SELECT * FROM kb_rag.knowledge_base WHERE schema = '{schema}'),
    chunk AS (SELECT id, tsv, text_config, length::float8 AS length FROM {schema}.chunk),
    size AS (SELECT count(*)::float8 AS n, avg(length) AS mean FROM chunk),
    wanted AS (
        SELECT DISTINCT lexeme FROM (SELECT DISTINCT text_config FROM chunk) c,
            unnest(kb_rag.to_tsvector(c.text_config::regconfig, '{query}'))
    ),
    posting AS (
        SELECT c.id, c.length, t.lexeme, (
            SELECT sum(CASE w WHEN 'A' THEN s.title_weight WHEN 'B' THEN s.heading_weight ELSE 1 END)
            FROM unnest(t.weights) w
        ) AS tf
        FROM chunk c, setting s, unnest(c.tsv) t WHERE t.lexeme IN (TABLE wanted)
    ),
    frequency AS (SELECT lexeme, count(*) AS df FROM posting GROUP BY lexeme)
    SELECT concat_ws(' ', p.id, round(sum(
        ln(1 + (n - df + 0.5) / (df + 0.5)) * tf * (bm25_k1 + 1) / (tf + bm25_k1 * (1 - bm25_b + bm25_b * p.length / mean))
    )::numeric, 9))
    FROM posting p JOIN frequency USING (lexeme), size, setting GROUP BY p.id ORDER BY 1";

/// Adds documents enough for a segment in both tables of the keyword index.
fn add_fillers(client: &mut Client) {
    client.run(
        "INSERT INTO kb_old_notes.document (title, content)
         SELECT 'Filler ' || n, 'Filler word ' || n % 100 || ' and ' || n || repeat(' more', n % 9) FROM generate_series(1, 3000) n",
    );
    let runs: i64 = client.value("SELECT count(*) FROM kb_old_notes.keyword_run", &[]);
    assert!(runs > 1, "{runs} rows");
}

/// Whichever way its tables come to this version, a base has the answers of its chunks.
#[test]
fn an_update_keeps_the_answers_of_keyword_search() {
    for version in RELEASES {
        let updated = old(version);
        let mut client = updated.connect();
        add_fillers(&mut client);
        let before = bm25(&mut client, COMPUTED);
        assert!(before.len() > 3000, "{}", before.len());
        assert_eq!(bm25(&mut client, FOUND), before, "{version} before the update");
        client.run("ALTER EXTENSION kb_rag UPDATE");
        assert_eq!(bm25(&mut client, COMPUTED), before, "{version}");
        assert_eq!(bm25(&mut client, FOUND), before, "{version}");

        let restored = Database::bare("");
        restore_old_bases(&restored, version);
        let mut other = restored.connect();
        add_fillers(&mut other);
        assert_eq!(bm25(&mut other, FOUND), bm25(&mut other, COMPUTED), "{version}");
        for client in [&mut client, &mut other] {
            assert_figures(client, "kb_handbook");
            assert_figures(client, "kb_old_notes");
        }
    }
}

/// Bases that kb_create made in older versions are updated to the structure of new ones.
#[test]
fn bases_of_older_versions_have_the_structure_of_new_ones() {
    RELEASES.into_iter().for_each(assert_shape_of_new_ones);
}

fn assert_shape_of_new_ones(version: &str) {
    let database = old(version);
    let mut client = database.connect();
    client.run(
        "ALTER EXTENSION kb_rag UPDATE;
         SELECT kb_create('new notes', model => 'fake/test', dimensions => 8, chunk_size => 200, chunk_overlap => 20,
             chunk_strategy => 'markdown', text_config => 'english', title_weight => 3)",
    );
    // A worker replaces one index.
    let replaced = "SELECT to_regclass('kb_old_notes.chunk_document_id_ordinal') IS NOT NULL AND to_regclass('kb_old_notes.chunk_document_id') IS NULL";
    client.run("SELECT kb_search('platypus', 'Old notes')");
    wait_until("the index of chunks by document and place", || client.value(replaced, &[]));
    // The comment on the settings has their values, which differ.
    let mut shape_of = |schema: &str| -> Vec<String> {
        let lines: Vec<String> = client.column(SHAPE, &[&schema]);
        lines
            .into_iter()
            .map(|line| line.split("has this copy: {").next().unwrap_or_default().to_string())
            .collect()
    };
    let (old, new) = (shape_of("kb_old_notes"), shape_of("kb_new_notes"));
    assert!(new.len() > 50, "{new:#?}");
    let renamed: Vec<String> = old.iter().map(|line| line.replace("kb_old_notes", "kb_new_notes")).collect();
    assert_same(&renamed, &new);
}

#[test]
fn a_dump_of_an_older_version_restores_into_this_one() {
    for version in RELEASES {
        let database = Database::bare("");
        restore_old_bases(&database, version);
        assert_old_bases_work(&mut database.connect());
    }
}

/// As a dump of the schemas alone leaves them: the catalog does not know them.
#[test]
fn schemas_of_an_older_version_are_adopted() {
    for version in RELEASES {
        let database = Database::bare("");
        restore_old_bases(&database, version);
        let mut client = database.connect();
        // An older base can be dropped as any other.
        client.run("SELECT kb_drop('wide')");
        let schemas: Vec<String> =
            client.column("SELECT schema FROM kb_rag.knowledge_base ORDER BY schema", &[]);
        client.run("DELETE FROM kb_rag.knowledge_base; DELETE FROM kb_rag.job");
        for schema in &schemas {
            client.run(&format!("SELECT kb_adopt('{schema}')"));
        }
        let adopted: Vec<String> =
            client.column("SELECT schema FROM kb_rag.knowledge_base ORDER BY schema", &[]);
        assert_eq!(adopted, schemas, "{version}");
        assert_eq!(
            titles(&mut client, "kb_hybrid_search('how do refunds work?', 'handbook', 1)"),
            ["Refunds"]
        );
        for schema in &schemas {
            assert_figures(&mut client, schema);
        }
        assert_old_bases_follow_writes(&mut client);
    }
}
