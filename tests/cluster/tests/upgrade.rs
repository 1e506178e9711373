//! Upgrades from older versions: ALTER EXTENSION UPDATE, dumps of older versions, and a library with the SQL
//! of another version. Requires dev's with_old_versions: the install scripts of tests/upgrade beside that of
//! this version.

use std::fs::File;
use std::path::{Path, PathBuf};

use kb_rag_cluster_tests::{
    Database, Session, assert_figures, assert_nothing_to_reconcile, client_program, counts,
};
use postgres::Client;

/// Rows of the catalogue: object, property, value.
const CATALOGUE: &str = include_str!("../../upgrade/catalogue.sql");
/// The structure of one base.
const SHAPE: &str = include_str!("../../upgrade/base.sql");

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../upgrade").join(name)
}

/// Released versions: each has an install script and a dump of its bases.
const RELEASES: [&str; 2] = ["0.1.0", "0.2.0"];

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

fn catalogue(client: &mut Client) -> Vec<String> {
    let sql = format!("SELECT concat_ws(' | ', object, property, value) FROM ({CATALOGUE}) c");
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

#[test]
fn an_updated_catalogue_equals_an_installed_one() {
    let fresh = catalogue(&mut Database::create().connect());
    assert!(fresh.len() > 100, "{fresh:#?}");
    for version in RELEASES {
        let database = old(version);
        let mut client = database.connect();
        client.run("ALTER EXTENSION kb_rag UPDATE");
        assert_same(&catalogue(&mut client), &fresh);
    }
}

/// Such a type may have been created since the older version was installed.
#[test]
fn an_update_refuses_a_malicious_type() {
    let database = Database::bare("");
    let mut client = database.connect();
    client.run(
        "CREATE SCHEMA target; CREATE EXTENSION vector; CREATE EXTENSION kb_rag SCHEMA target VERSION '0.2.0';
         CREATE DOMAIN target.vector AS int4",
    );
    assert_eq!(client.state_of("ALTER EXTENSION kb_rag UPDATE", &[]), "42710");
    client.run("DROP DOMAIN target.vector; ALTER EXTENSION kb_rag UPDATE");
    // An installation that was misled by such a type.
    client.run(
        "DROP EXTENSION kb_rag; CREATE DOMAIN target.vector AS int4; CREATE EXTENSION kb_rag SCHEMA target VERSION '0.2.0';
         ALTER DOMAIN target.vector RENAME TO other",
    );
    assert_eq!(client.state_of("ALTER EXTENSION kb_rag UPDATE", &[]), "42804");
}

/// The message and the hint of a statement that fails.
fn refusal(client: &mut Client, sql: &str) -> (String, String) {
    let error = client.batch_execute(sql).unwrap_err();
    let error = error.as_db_error().unwrap();
    assert_eq!(error.code().code(), "55000", "{sql}: {error:?}");
    (error.message().to_string(), error.hint().unwrap_or_default().to_string())
}

/// Titles in result order.
fn titles(client: &mut Client, search: &str) -> Vec<String> {
    client.column(&format!("SELECT title FROM {search}"), &[])
}

/// The bases of the dump return results, from both arms and by agent, and follow writes.
fn assert_old_bases_work(client: &mut Client) {
    assert_eq!(titles(client, "kb_hybrid_search('how do refunds work?', 'handbook', 1)"), ["Refunds"]);
    assert_eq!(titles(client, "kb_search('when does it arrive', 'handbook', 'semantic', 1)"), ["Delivery"]);
    assert_eq!(titles(client, "kb_search('Katzen im Haus', 'Old notes', 'keyword')"), ["Tiere"]);
    assert_eq!(
        titles(
            client,
            "kb_hybrid_search('changed', agent_id => 'a0000000-0000-0000-0000-00000000000a', match_count => 1)"
        ),
        ["Note 3"]
    );
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
}

/// Features of 0.2.0 and later: imported chunks, an attached table, a provider, usage, and pending work.
fn assert_newer_bases_work(client: &mut Client) {
    let similar = "kb_hybrid_search('how long?', 'drinks', 1, query_embedding => '[1,0,0]')";
    let content: Vec<String> = client.column(&format!("SELECT content FROM {similar}"), &[]);
    assert_eq!(content, ["Tea needs four minutes."]);
    assert_eq!(titles(client, "kb_search('nine hours', 'shop', 'keyword', 1)"), ["Lamp"]);
    client.run("INSERT INTO articles VALUES (3, 'Torch', 'A platypus lamp for the pocket.', 'light')");
    assert_eq!(titles(client, "kb_search('platypus', 'shop', 'keyword', 1)"), ["Torch"]);
    assert_eq!(client.value::<i64>("SELECT calls FROM kb_rag.usage_daily WHERE model = 'company/m'", &[]), 3);
    let headers: Vec<String> = client
        .column("SELECT unnest(headers) FROM kb_provider_list() WHERE name = 'company' AND NOT builtin", &[]);
    assert_eq!(headers, ["x-team"]);
    client.run("CALL kb_work(10)");
    assert_eq!(titles(client, "kb_search('what waits?', 'waiting', 'semantic', 1)"), ["Pending"]);
    // 0.2.0 gave chunks of attached tables a path: kb_reconcile removes it.
    let paths = "SELECT count(*) FROM kb_shop.chunk WHERE metadata ? 'filePath'";
    assert_eq!(client.value::<i64>(paths, &[]), 2);
    assert_eq!(client.value::<i64>("SELECT kb_reconcile('shop')", &[]), 2);
    assert_eq!(client.value::<i64>(paths, &[]), 0);
    for name in ["drinks", "shop", "waiting"] {
        assert_nothing_to_reconcile(client, name);
    }
}

#[test]
fn bases_of_the_last_version_keep_working_after_the_update() {
    let database = old("0.2.0");
    let mut client = database.connect();
    let (said, _) = refusal(&mut client, "SELECT * FROM kb_hybrid_search('refunds', 'handbook')");
    assert!(said.ends_with("is version 0.2.0"), "{said}");
    client.run("ALTER EXTENSION kb_rag UPDATE");
    assert_old_bases_work(&mut client);
    assert_newer_bases_work(&mut client);
}

#[test]
fn bases_of_the_first_version_keep_working_after_the_update() {
    let database = old("0.1.0");
    let role = database.create_role("creator");
    let mut client = database.connect();
    client.run(&format!(
        "GRANT EXECUTE ON FUNCTION kb_create, kb_add, kb_search TO {role};
         REVOKE EXECUTE ON FUNCTION kb_add, kb_search, match_knowledge_chunks FROM PUBLIC"
    ));
    let message = format!(
        "kb_rag library is version {}, but the extension in this database is version 0.1.0",
        env!("CARGO_PKG_VERSION")
    );
    let mut open_before = database.connect();
    for statement in [
        "SELECT * FROM kb_hybrid_search('refunds', 'handbook')",
        "SELECT * FROM kb_list()",
        "SELECT * FROM kb_rag.status",
        "SELECT kb_search('refunds', 'handbook')",
        "SELECT match_knowledge_chunks('a0000000-0000-0000-0000-00000000000a', '[1,2,3]')",
        "SELECT kb_add('handbook', 'text')",
        "SELECT kb_create('another', model => 'fake/test', dimensions => 8)",
        "SELECT kb_drop('handbook')",
    ] {
        let (said, hint) = refusal(&mut open_before, statement);
        assert_eq!(
            (said.as_str(), hint.as_str()),
            (message.as_str(), "Run ALTER EXTENSION kb_rag UPDATE in this database."),
            "{statement}"
        );
    }
    // Functions that need no catalogue work, so that dumps, indexes and statistics of such a database do.
    client.run(
        "REINDEX TABLE kb_old_notes.chunk; ANALYZE kb_old_notes.chunk; SELECT kb_chunk('text'), kb_embed('text', 'fake/test', 8)",
    );
    let dump = client_program("pg_dump").args(["-d", database.name()]).output();
    assert!(dump.is_ok_and(|dump| dump.status.success()), "pg_dump failed");

    client.run("ALTER EXTENSION kb_rag UPDATE");
    // Reconnecting is not necessary.
    assert_old_bases_work(&mut open_before);
    let granted: bool =
        client.value("SELECT bool_and(has_function_privilege($1, oid, 'EXECUTE')) FROM pg_proc WHERE proname IN ('kb_create', 'kb_add', 'kb_search')", &[&role]);
    assert!(granted, "a privilege granted before the update");
    let everybody: Vec<String> = client.column(
        "SELECT proname::text FROM pg_proc WHERE has_function_privilege('public', oid, 'EXECUTE')
             AND proname IN ('kb_add', 'kb_search', 'kb_hybrid_search', 'match_knowledge_chunks')",
        &[],
    );
    assert_eq!(everybody, ["kb_hybrid_search"], "a privilege revoked before the update");
    client.run(&format!("DROP OWNED BY {role}"));
}

/// Functions that an update creates again keep their privileges: for the roles, in a dump, and for kb_revoke_admin.
#[test]
fn an_update_keeps_privileges_on_functions() {
    let database = old("0.2.0");
    let role = database.create_role("grantee");
    let mut client = database.connect();
    client.run(&format!(
        "GRANT EXECUTE ON FUNCTION kb_create TO PUBLIC, {role};
         REVOKE EXECUTE ON FUNCTION kb_add, kb_attach_agent, kb_configure, kb_list, kb_search, match_knowledge_chunks FROM PUBLIC;
         GRANT EXECUTE ON FUNCTION kb_configure, kb_search TO {role};
         ALTER EXTENSION kb_rag UPDATE"
    ));
    let privileges = "SELECT p.proname || ' ' || coalesce(string_agg(coalesce(r.rolname, 'public'), ' ' ORDER BY r.rolname) FILTER (WHERE a.grantee IS NOT NULL), '')
         FROM pg_proc p LEFT JOIN LATERAL aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a ON a.grantee <> p.proowner LEFT JOIN pg_roles r ON r.oid = a.grantee
         WHERE p.proname IN ('kb_add', 'kb_attach_agent', 'kb_configure', 'kb_create', 'kb_hybrid_search', 'kb_list', 'kb_search', 'match_knowledge_chunks') GROUP BY p.proname ORDER BY 1";
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
    assert_eq!(client.column::<String>(privileges, &[]), kept);
    let initial = "SELECT p.proname || ' ' || i.initprivs::text FROM pg_init_privs i JOIN pg_proc p ON p.oid = i.objoid
         WHERE i.classoid = 'pg_proc'::regclass AND p.proname IN ('kb_add', 'kb_attach_agent', 'kb_configure', 'kb_create', 'kb_hybrid_search', 'kb_list', 'kb_search', 'match_knowledge_chunks') ORDER BY 1";
    let installed: Vec<String> = Database::create().connect().column(initial, &[]);
    assert_eq!(installed.len(), 1, "{installed:?}");
    assert_eq!(client.column::<String>(initial, &[]), installed);
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
        assert!(is_dumped, "{function} to {granted}");
    }
    client.run(&format!("SELECT kb_revoke_admin('public'); DROP OWNED BY {role}"));
    assert_eq!(
        client.column::<String>(privileges, &[]),
        [
            "kb_add ",
            "kb_attach_agent ",
            "kb_configure ",
            "kb_create ",
            "kb_hybrid_search public",
            "kb_list ",
            "kb_search ",
            "match_knowledge_chunks "
        ]
    );
}

/// Searches by BM25 over one base: chunk and score, for several queries. `scores` is a query for them, in which {base},
/// {schema}, {length} and {query} are filled in.
fn bm25(client: &mut Client, scores: &str, length: &str) -> Vec<String> {
    let mut all = Vec::new();
    for (base, schema, queries) in [
        ("handbook", "kb_handbook", ["days", "refund my money", "back in five working days"]),
        ("Old notes", "kb_old_notes", ["Katzen", "cats part 3", "filler word 7 and 77 and 777"]),
    ] {
        for query in queries {
            let sql = [("base", base), ("schema", schema), ("length", length), ("query", query)]
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
    chunk AS (SELECT id, tsv, text_config, {length}::float8 AS length FROM {schema}.chunk),
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

/// Adds 3,000 chunks to a base of an older version. Its triggers refuse writers, so they are off.
fn add_old_chunks(client: &mut Client) {
    client.run(
        "SET session_replication_role = replica;
         WITH added AS (
             INSERT INTO kb_old_notes.document (id, title, content, status, content_hash)
             SELECT gen_random_uuid(), 'Filler ' || n, 'Filler word ' || n % 100 || ' and ' || n || repeat(' more', n % 9), 'indexed', ''
             FROM generate_series(1, 3000) n
             RETURNING id, title, content
         ), lexemes AS (
             SELECT *, setweight(kb_rag.to_tsvector('pg_catalog.english', title), 'A')
                 || kb_rag.to_tsvector('pg_catalog.english', content) AS tsv FROM added
         )
         INSERT INTO kb_old_notes.chunk (id, document_id, words, tsv, text_config, ordinal, start_char, end_char, source_type, content, metadata, content_hash)
         SELECT gen_random_uuid(), id, kb_rag.word_count(tsv), tsv, 'pg_catalog.english', 0, 0, length(content), 'document', content, '{}', ''
         FROM lexemes;
         RESET session_replication_role",
    );
}

/// Whichever way its tables come to this version, a base has the answers of its chunks. The new index is in both tables.
#[test]
fn a_conversion_keeps_the_answers_of_keyword_search() {
    for version in RELEASES {
        let updated = old(version);
        let mut client = updated.connect();
        add_old_chunks(&mut client);
        let before = bm25(&mut client, COMPUTED, "words");
        assert!(before.len() > 3000, "{}", before.len());
        client.run("ALTER EXTENSION kb_rag UPDATE");
        assert_eq!(bm25(&mut client, COMPUTED, "length"), before, "{version}");
        assert_eq!(bm25(&mut client, FOUND, ""), before, "{version}");

        let restored = Database::bare("");
        restore_old_bases(&restored, version);
        let mut other = restored.connect();
        add_old_chunks(&mut other);
        let before = bm25(&mut other, COMPUTED, "words");
        other.run("SELECT kb_adopt('kb_handbook'), kb_adopt('kb_old_notes')");
        assert_eq!(bm25(&mut other, FOUND, ""), before, "{version}");

        for client in [&mut client, &mut other] {
            for schema in ["kb_handbook", "kb_old_notes"] {
                assert_figures(client, schema);
            }
            let runs: i64 = client.value("SELECT count(*) FROM kb_old_notes.keyword_run", &[]);
            assert!(runs > 1, "{runs} rows");
        }
    }
}

/// A base that its owner altered is left as it is, with a warning, until kb_adopt.
#[test]
fn a_base_that_cannot_be_converted_does_not_keep_others_from_the_update() {
    let database = old("0.2.0");
    let (mut client, notices) = database.connect_listening("postgres");
    client.run("CREATE VIEW in_the_way AS SELECT * FROM kb_handbook.corpus; ALTER EXTENSION kb_rag UPDATE");
    let warning = notices.take().into_iter().find(|notice| notice.contains("kb_handbook"));
    let warning = warning.expect("a warning that names the schema");
    assert!(warning.contains("in_the_way") || warning.contains("other objects depend on it"), "{warning}");
    assert!(warning.contains("SELECT kb_adopt('kb_handbook')"), "{warning}");
    let members = "SELECT count(*) FROM pg_depend d JOIN pg_class c ON c.oid = d.objid AND d.classid = 'pg_class'::regclass
         WHERE d.deptype = 'e' AND c.relnamespace::regnamespace::text ~ '^kb_(handbook|old_notes)'";
    assert_eq!(client.value::<i64>(members, &[]), 0, "tables of bases that belong to the extension");
    let told = (
        "the tables in schema \"kb_handbook\" were made by an older version of kb_rag".to_string(),
        "Run SELECT kb_adopt('kb_handbook') to update them.".to_string(),
    );
    let refused = [
        "SELECT * FROM kb_search('refunds', 'handbook', 'keyword')",
        "INSERT INTO kb_handbook.document (content) VALUES ('text')",
    ];
    for statement in refused {
        assert_eq!(refusal(&mut client, statement), told, "{statement}");
    }
    assert_newer_bases_work(&mut client);
    assert_eq!(client.state_of("SELECT kb_adopt('kb_handbook')", &[]), "2BP01");
    client.run("DROP VIEW in_the_way; SELECT kb_adopt('kb_handbook')");
    assert_old_bases_work(&mut client);
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
    let old: Vec<String> = client.column(SHAPE, &[&"kb_old_notes"]);
    let new: Vec<String> = client.column(SHAPE, &[&"kb_new_notes"]);
    assert!(new.len() > 50, "{new:#?}");
    let renamed: Vec<String> = old.iter().map(|line| line.replace("kb_old_notes", "kb_new_notes")).collect();
    assert_same(&renamed, &new);
}

/// Every statement that needs the tables of an older version says how to update them, and kb_adopt does.
fn adopt_restored_bases(client: &mut Client) {
    let told = (
        "the tables in schema \"kb_handbook\" were made by an older version of kb_rag".to_string(),
        "Run SELECT kb_adopt('kb_handbook') to update them.".to_string(),
    );
    for statement in [
        "SELECT * FROM kb_hybrid_search('refunds', 'handbook')",
        "SELECT * FROM kb_search('refunds', 'handbook', 'keyword')",
        "SELECT * FROM kb_search('refunds', 'handbook', 'semantic')",
        "SELECT kb_add('handbook', 'text')",
        "SELECT kb_reconcile('handbook')",
        "SELECT kb_reindex('handbook')",
        "INSERT INTO kb_handbook.document (content) VALUES ('text')",
        "UPDATE kb_handbook.document SET content = 'text'",
        "DELETE FROM kb_handbook.document",
        "DELETE FROM kb_handbook.chunk",
        "TRUNCATE kb_handbook.document CASCADE",
    ] {
        assert_eq!(refusal(client, statement), told, "{statement}");
    }
    // What names no base leaves such bases out.
    assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_hybrid_search('refunds')", &[]), 0);
    assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_rag.status", &[]), 0);
    let schemas: Vec<String> = client.column("SELECT schema FROM kb_rag.knowledge_base ORDER BY schema", &[]);
    for schema in schemas {
        client.run(&format!("SELECT kb_adopt('{schema}')"));
        assert_eq!(client.state_of(&format!("SELECT kb_adopt('{schema}')"), &[]), "42710");
    }
}

#[test]
fn a_dump_of_an_older_version_restores_into_this_one() {
    for version in RELEASES {
        let database = Database::bare("");
        restore_old_bases(&database, version);
        let mut client = database.connect();
        adopt_restored_bases(&mut client);
        assert_old_bases_work(&mut client);
        if version != "0.1.0" {
            assert_newer_bases_work(&mut client);
        }
    }
}

/// As a dump of the schemas alone leaves them: the catalogue does not know them.
#[test]
fn schemas_of_an_older_version_are_adopted() {
    let database = Database::bare("");
    restore_old_bases(&database, "0.2.0");
    let mut client = database.connect();
    // An older base can be dropped as any other.
    client.run("SELECT kb_drop('drinks')");
    client.run(
        "DELETE FROM kb_rag.knowledge_base; DELETE FROM kb_rag.job;
         SELECT kb_adopt('kb_handbook'), kb_adopt('kb_old_notes'), kb_adopt('kb_waiting')",
    );
    assert_old_bases_work(&mut client);
    client.run("CALL kb_work(10)");
    assert_nothing_to_reconcile(&mut client, "waiting");
}
