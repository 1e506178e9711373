//! Hostile values in every column of every table of a base, and in the catalog: each function answers or
//! fails with an error of its own, never with an internal one, and the values of one base affect no other
//! base.

use std::collections::BTreeSet;

use kb_rag_cluster_tests::{Database, Session, sqlstate};
use postgres::Client;
use postgres::error::SqlState;

/// Rounds over the columns of a base, each with some of them at once.
const ROUNDS: usize = 20;

/// Pseudo-random numbers (Steele and others, "Fast Splittable Pseudorandom Number Generators", 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, max: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % max as u64) as usize
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// Expressions of a type with values that no version of kb_rag has written.
fn values(type_name: &str) -> &'static [&'static str] {
    match type_name {
        "text" => &[
            "NULL",
            "''",
            "'nosuch.cfg'",
            "'a.b.c.d'",
            "'\"'",
            "'-1'",
            "'NaN'",
            "'99999999999999999999'",
            "'[]'",
            "'{\"a\":'",
            "'[\"x\\u0000y\"]'",
            "repeat('[', 5000)",
            "repeat('x', 5000)",
            "E'\\x01''\"%s{schema}$1'",
            "'table'",
        ],
        "integer" => &["NULL", "-1", "0", "2147483647", "-2147483648"],
        "bigint" => &["NULL", "-1", "0", "9223372036854775807", "-9223372036854775808"],
        "double precision" => &["NULL", "'NaN'", "'Infinity'", "-1", "1e308"],
        "boolean" => &["NULL", "true", "false"],
        "uuid" => &["NULL", "'00000000-0000-0000-0000-000000000000'", "gen_random_uuid()"],
        "bytea" => &["NULL", "''", "'\\x00'", "decode(repeat('ff', 3000), 'hex')"],
        "smallint" => &["NULL", "-1", "0", "32767", "-32768"],
        "tsvector" => &[
            "NULL",
            "''",
            "strip(to_tsvector('simple', 'number text more'))",
            "'number:1A,2A,16383A'",
            "(SELECT string_agg('w' || i || ':' || i, ' ')::tsvector FROM generate_series(1, 9000) i)",
        ],
        "jsonb" => &[
            "NULL",
            "'null'",
            "'[1]'",
            "'\"x\"'",
            "'{\"a\": 1e400}'",
            "(repeat('[', 3000) || repeat(']', 3000))::jsonb",
            "'{\"title\": [1], \"chunkIndex\": \"x\", \"key\": null}'",
        ],
        "timestamp with time zone" => &["NULL", "'infinity'", "'-infinity'", "'294276-12-31'"],
        "interval" => &["NULL", "'-1000 years'", "'178000000 years'"],
        "text[]" => &["NULL", "'{}'", "'{NULL}'", "'[3:4]={a,b}'", "'{{a},{b}}'", "'{bad,bad}'"],
        "uuid[]" => &[
            "NULL",
            "'{}'",
            "'{NULL}'",
            "ARRAY[gen_random_uuid(), NULL]",
            "'{{00000000-0000-0000-0000-000000000000}}'",
        ],
        "integer[]" => &["NULL", "'{}'", "'{NULL}'", "'{-1,999}'"],
        "vector" => {
            &["NULL", "'[0,0,0,0,0,0,0,0]'", "'[3e38,3e38,3e38,3e38,3e38,3e38,3e38,3e38]'", "'[1,2,3]'"]
        }
        other => panic!("no values of type {other}"),
    }
}

/// Values of a base's table of settings, by name.
const SETTINGS: [(&str, &[&str]); 17] = [
    ("dimensions", &["0", "-8", "7", "16001", "2147483648"]),
    ("model", &["", "nosuch/x", "fake/other", "/"]),
    ("model_variants", &["[null]", "[\"a\\u0000b\"]", "[1]", "{}", "[[["]),
    ("chunk_size", &["0", "-1", "2147483647"]),
    ("chunk_overlap", &["-1", "200", "2147483647"]),
    ("chunk_unit", &["", "byte"]),
    ("chunk_strategy", &["", "magic"]),
    ("text_config", &["", "nosuch", "a.b.c", "\"", "pg_catalog.german"]),
    ("bm25_k1", &["NaN", "inf", "-1", "1e999"]),
    ("title_weight", &["NaN", "-inf", "11"]),
    ("match_threshold", &["NaN", "1", "-1", "-1.5", ""]),
    ("answer_threshold", &["NaN", "1", "-1", "-1.5", ""]),
    ("log_searches", &["", "maybe", "1"]),
    ("summaries", &["", "x", "fake/x", "openai/\u{1}", "a/b/c"]),
    ("id", &["", "zz", "00000000-0000-0000-0000-000000000000"]),
    ("name", &["", "\u{1}", "h"]),
    (
        "attached_tables",
        &[
            "",
            "{}",
            "[1]",
            "[{\"source_id\":\"8a40f300-fffd-4999-8733-a60c17cca8e1\",\"location\":\"public.nosuch\",\"uses\":[\"key\",\"content\"],\"labels\":[\"id\",\"body\"],\"names\":[\"id\",\"body\"],\"source_type\":\"x\\u0000y\",\"row_security\":\"refuse\",\"row_secured\":false}]",
            "[{\"source_id\":\"8a40f300-fffd-4999-8733-a60c17cca8e1\",\"location\":\"public.attached\",\"uses\":[\"content\"],\"labels\":[],\"names\":[],\"source_type\":\"\",\"row_security\":\"refuse\",\"row_secured\":false}]",
            "[{\"source_id\":\"8a40f300-fffd-4999-8733-a60c17cca8e1\",\"location\":\"public.attached\",\"uses\":[\"key\",\"content\"],\"labels\":[\"id\",\"body\"],\"names\":[\"id\",\"nosuch\"],\"source_type\":\"t\",\"row_security\":\"refuse\",\"row_secured\":false}]",
        ],
    ),
];

/// All statements that read one base or all bases.
const READERS: [&str; 43] = [
    "SELECT kb_search('number text', 'h')",
    "SELECT kb_search('number text', 'h', 'keyword')",
    "SELECT kb_search('number text', 'h', 'keyword', ranker => 'ts_rank')",
    "SELECT kb_search('number text', 'h', 'keyword', ranker => 'ts_rank_cd')",
    "SELECT kb_search('number text', 'h', 'semantic')",
    "SELECT kb_hybrid_search('\"number\" text -zebra', 'h', fusion => 'relative', max_per_document => 1, filter => '{\"a\": 1}', syntax => 'web')",
    "SELECT kb_search('number text')",
    "SELECT match_knowledge_chunks((SELECT id FROM kb_list() WHERE name = 'h'), '[1,0,0,0,0,0,0,0]')",
    "SELECT kb_search_documents('number text', 'h', level => 'content')",
    "SELECT kb_search_documents('number text')",
    "SELECT kb_browse('h')",
    "SELECT kb_browse(source_type => 'document')",
    "SELECT kb_stats('h')",
    "SELECT kb_stats()",
    "SELECT kb_read(id, 'overview', 'h') FROM kb_h.document",
    "SELECT kb_list()",
    "SELECT * FROM kb_rag.status",
    "SELECT * FROM kb_rag.failed",
    "SELECT * FROM kb_rag.source_status",
    "SELECT * FROM kb_rag.usage_daily",
    "SELECT kb_estimate('h')",
    "SELECT kb_add('h', 'A number of new text.', source_key => 'new')",
    "SELECT kb_add('h', 'A number of other text.', source_key => 'new')",
    "INSERT INTO kb_h.document (content) VALUES ('Inserted text of number nine.')",
    "SELECT kb_add_output('h', repeat('A number of text. ', 9), 'agt_1')",
    "SELECT kb_refresh(id, 'h') FROM (SELECT id FROM kb_h.document ORDER BY id LIMIT 3) d",
    "SELECT kb_delete(id, 'h') FROM (SELECT id FROM kb_h.document WHERE source_id IS NULL ORDER BY id LIMIT 1) d",
    "UPDATE kb_h.document SET content = content || ' More.', metadata = '{\"b\": 2}'",
    "INSERT INTO attached VALUES (7, 'Seven.')",
    "UPDATE attached SET body = body || ' More.'",
    "CALL kb_work(0)",
    "SELECT kb_retry('h')",
    "SELECT kb_reconcile('h')",
    "SELECT kb_reconcile('h')",
    "SELECT kb_import('h', 'imported', '{\"content\": \"body\", \"embedding\": \"vector\"}')",
    "SELECT kb_configure('h', chunk_size => 100, title_weight => 3)",
    "SELECT kb_configure('h', text_config => 'german')",
    "SELECT kb_configure('h', dimensions => 7)",
    "SELECT kb_reindex('h')",
    "SELECT kb_attach('attached', 'h', 'body', wait => true)",
    "SELECT kb_adopt('kb_h')",
    "DELETE FROM attached",
    "SELECT kb_detach('attached', 'h', true)",
];

/// A session as superuser, and one as the owner of the base `h` and of the attached and imported tables.
struct Bench {
    database: Database,
    superuser: Client,
    owner: Client,
    start: String,
    statements: usize,
    /// Hostile values that PostgreSQL accepted.
    written: usize,
}

impl Bench {
    fn new() -> Bench {
        let database = Database::create();
        let role = database.create_owner("hostile");
        let (mut superuser, mut owner) = (database.connect(), database.connect_as(&role));
        for client in [&mut superuser, &mut owner] {
            client.run("SET client_min_messages = error; SET kb_rag.workers = 0");
        }
        superuser.run(&format!("GRANT CREATE ON SCHEMA public TO {role}"));
        let start = superuser.server_start();
        let mut bench = Bench { database, superuser, owner, start, statements: 0, written: 0 };
        bench.make_base();
        bench
    }

    fn make_base(&mut self) {
        self.owner.create_base("h");
        self.owner.run(
            "DROP TABLE IF EXISTS attached, imported;
             CREATE TABLE attached (id int PRIMARY KEY, body text);
             INSERT INTO attached VALUES (1, 'The first.'), (2, 'The second.');
             CREATE TABLE imported (body text, vector float4[]);
             INSERT INTO imported VALUES ('An imported text.', array_fill(1::float4, ARRAY[8]));
             INSERT INTO kb_h.document (title, content, source_key)
             SELECT 'Title ' || i, 'A text of number ' || i || '. ' || repeat('More words of it. ', 4 * i), i FROM generate_series(1, 4) i;
             SELECT kb_attach('attached', 'h', 'body', wait => true);",
        );
    }

    /// Adds a document whose segment has rows of its own.
    fn add_large_segment(&mut self) {
        self.owner.run(
            "INSERT INTO kb_h.document (content, source_key)
             SELECT 'A number of text. ' || string_agg('w' || n, ' '), 'large' FROM generate_series(1, 2000) n",
        );
        let runs: i64 = self.owner.value("SELECT count(*) FROM kb_h.keyword_run", &[]);
        assert!(runs > 1, "{runs} rows");
    }

    /// Removes the base in any state. A worker that reads the base may be in the way, and have a deadlock with this.
    fn remove_base(&mut self) {
        let sql = "DROP SCHEMA IF EXISTS kb_h CASCADE; DROP TABLE IF EXISTS attached CASCADE;
             DELETE FROM kb_rag.knowledge_base WHERE name IS DISTINCT FROM 'sound' OR schema IS DISTINCT FROM 'kb_sound';
             DELETE FROM kb_rag.job; DELETE FROM kb_rag.pause; DELETE FROM kb_rag.attached_table;";
        for _ in 0..5 {
            match self.superuser.batch_execute(sql) {
                Err(error) if error.code() == Some(&SqlState::T_R_DEADLOCK_DETECTED) => {}
                result => return result.expect("the base is not removed"),
            }
        }
        panic!("the base is not removed: a deadlock five times");
    }

    /// Runs a statement that may fail, but not with an internal error.
    fn survives(&mut self, as_owner: bool, statement: &str, after: &str) -> String {
        let client = if as_owner { &mut self.owner } else { &mut self.superuser };
        let result = client.simple_query(statement);
        let state = sqlstate(&result);
        let message = result.err().map(|error| format!("{:?}", error.as_db_error())).unwrap_or_default();
        let who = if as_owner { "the owner" } else { "a superuser" };
        // What the manual says of a damaged index.
        let is_damage = state == "XX002"
            && after.contains("keyword_")
            && message.contains("the keyword index of a knowledge base is damaged");
        assert!(
            is_damage || !state.starts_with("XX") && !state.starts_with("08") && !state.starts_with("57"),
            "{state} of <{statement}> by {who} after <{after}>: {message}"
        );
        self.statements += 1;
        state
    }

    /// Writes a value into a column of every row. False if PostgreSQL itself rejects the value.
    fn write(&mut self, as_owner: bool, table: &str, column: &str, value: &str) -> bool {
        let client = if as_owner { &mut self.owner } else { &mut self.superuser };
        let is_written = client
            .batch_execute(&format!(
                "ALTER TABLE {table} DISABLE TRIGGER USER;
                 UPDATE {table} SET {column} = {value};
                 ALTER TABLE {table} ENABLE TRIGGER USER;"
            ))
            .is_ok();
        self.written += usize::from(is_written);
        is_written
    }

    fn read_all(&mut self, as_owner: bool, after: &str) {
        for statement in READERS {
            self.survives(as_owner, statement, after);
        }
    }

    fn finish(mut self, min: usize) {
        assert_eq!(self.superuser.server_start(), self.start, "the server crashed");
        assert!(self.statements >= min, "{} statements are too few for a meaningful test", self.statements);
        self.remove_base();
        drop(self.database);
    }
}

/// The columns of the tables in a schema: table, column and type.
fn columns(client: &mut Client, schema: &str, tables: &str) -> Vec<[String; 3]> {
    client
        .query(
            "SELECT c.relname, a.attname, format_type(a.atttypid, NULL)
             FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
             WHERE c.relnamespace = $1::text::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
                 AND c.relname::text ~ $2
             ORDER BY 1, a.attnum",
            &[&schema, &tables],
        )
        .unwrap()
        .iter()
        .map(|row| [0, 1, 2].map(|i| row.get::<_, Option<String>>(i).unwrap()))
        .collect()
}

/// Lets a table accept any value of the right types, and vectors of any dimensions.
fn loosen(client: &mut Client, schema: &str, table: &str) {
    client.run(&format!(
        "DO $$ DECLARE r record; BEGIN
            FOR r IN SELECT conrelid::regclass AS t, conname FROM pg_constraint
                WHERE conrelid = '{schema}.{table}'::regclass AND contype IN ('c', 'f') LOOP
                EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', r.t, r.conname);
            END LOOP;
            FOR r IN SELECT attname, attidentity FROM pg_attribute a WHERE attrelid = '{schema}.{table}'::regclass AND attnum > 0 AND attnotnull
                AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = a.attrelid AND indisprimary AND a.attnum = ANY (i.indkey)) LOOP
                IF r.attidentity <> '' THEN
                    -- As the owner can: the sequence stays, as a default.
                    EXECUTE format('ALTER TABLE {schema}.{table} ALTER %I DROP IDENTITY', r.attname);
                END IF;
                EXECUTE format('ALTER TABLE {schema}.{table} ALTER %I DROP NOT NULL', r.attname);
            END LOOP;
        END $$"
    ));
    if table == "embedding" {
        client.run(&format!(
            "DROP INDEX IF EXISTS {schema}.embedding_hnsw; ALTER TABLE {schema}.embedding ALTER embedding TYPE vector"
        ));
    }
}

const TABLES: &str = "^(source|document|chunk|embedding|keyword_segment|keyword_run|setting)$";

/// The control: on a base without hostile values every statement succeeds, except the adoption of a base that is
/// already known.
#[test]
fn every_statement_works_on_a_sound_base() {
    let mut bench = Bench::new();
    for as_owner in [true, false] {
        for statement in READERS {
            let expected = if statement.contains("kb_adopt") { "42710" } else { "00000" };
            assert_eq!(bench.survives(as_owner, statement, "nothing"), expected, "{statement}");
        }
        bench.remove_base();
        bench.make_base();
    }
    bench.finish(2 * READERS.len());
}

#[test]
fn no_value_in_a_column_of_a_base_is_an_internal_error() {
    let mut bench = Bench::new();
    let all = columns(&mut bench.owner, "kb_h", TABLES);
    assert!(all.len() > 50, "{all:?}");
    let mut random = Random(11);
    for round in 0..ROUNDS {
        let mut written = Vec::new();
        bench.add_large_segment();
        // Each column once, with columns of other tables.
        for [table, column, type_name] in all.iter().skip(round).step_by(ROUNDS) {
            let value = *random.one(values(type_name));
            loosen(&mut bench.owner, "kb_h", table);
            if bench.write(true, &format!("kb_h.{table}"), column, value) {
                written.push(format!("{table}.{column} = {value}"));
            }
        }
        bench.read_all(round % 2 == 0, &written.join(", "));
        if bench.survives(true, "SELECT kb_reindex('h')", &written.join(", ")) == "00000" {
            bench.survives(true, SEARCH, "a rebuild of the index");
        }
        bench.survives(true, "SELECT kb_drop('h')", &written.join(", "));
        bench.remove_base();
        bench.make_base();
    }
    assert!(bench.written > ROUNDS, "{} values were written", bench.written);
    bench.finish(ROUNDS * READERS.len());
}

const SEARCH: &str = "SELECT kb_search('number text', 'h', 'keyword')";

/// Changes to the tables of the keyword index; {n} is a random number.
const DAMAGES: [&str; 22] = [
    "UPDATE kb_h.keyword_segment SET data = set_byte(data, {n} % length(data), {n} / 9000 % 256) WHERE data <> ''",
    "UPDATE kb_h.keyword_segment SET data = substr(data, 1, {n} % length(data)) WHERE data <> ''",
    "UPDATE kb_h.keyword_segment SET data = data || data",
    "UPDATE kb_h.keyword_run SET data = set_byte(data, {n} % length(data), {n} / 9000 % 256) WHERE data <> ''",
    "UPDATE kb_h.keyword_run SET data = set_byte(data, {n} % 40, {n} / 9000 % 256) WHERE lexeme = ''",
    "UPDATE kb_h.keyword_run SET data = substr(data, 1, {n} % length(data)) WHERE data <> ''",
    "UPDATE kb_h.keyword_run SET data = data || substr(data, 1, 4000)",
    "UPDATE kb_h.keyword_run SET lexeme = lexeme || 'x'",
    "UPDATE kb_h.keyword_run SET ordinal = ordinal + {n}",
    "UPDATE kb_h.keyword_run SET segment = segment + 1000",
    "DELETE FROM kb_h.keyword_run WHERE get_byte(sha256(data), 0) % 2 = {n} % 2",
    "DELETE FROM kb_h.keyword_run",
    "DELETE FROM kb_h.keyword_segment",
    "INSERT INTO kb_h.keyword_segment OVERRIDING SYSTEM VALUE SELECT id + 1000, tier, sign, chunks, length, configs, first, last, runs, version, data FROM kb_h.keyword_segment",
    "UPDATE kb_h.keyword_segment SET chunks = {n}",
    "UPDATE kb_h.keyword_segment SET chunks = 2147483647, length = 9223372036854775807",
    "UPDATE kb_h.keyword_segment SET sign = -sign",
    "UPDATE kb_h.keyword_segment SET length = -length",
    "UPDATE kb_h.keyword_segment SET configs = '{\"x\": 3, \"pg_catalog.english\": -9}'",
    "UPDATE kb_h.keyword_segment SET runs = {n} % 40 - 20",
    "UPDATE kb_h.keyword_segment SET version = {n} % 2",
    "UPDATE kb_h.keyword_segment SET data = NULL",
];

/// A damaged keyword index is told or overlooked, and kb_reindex repairs any damage.
#[test]
fn no_damage_of_the_keyword_index_is_an_internal_error() {
    let mut bench = Bench::new();
    let mut random = Random(17);
    let answers = |bench: &mut Bench| -> Vec<String> {
        bench.owner.column(
            "SELECT concat_ws(' ', d.source_key, round(s.score::numeric, 9)) FROM kb_search('number text w77', 'h', 'keyword', 1000) s
             JOIN kb_h.document d ON d.id = s.document_id ORDER BY 1",
            &[],
        )
    };
    bench.add_large_segment();
    for client in [&mut bench.owner, &mut bench.superuser] {
        client.run("SET statement_timeout = '20s'");
    }
    let right = answers(&mut bench);
    assert!(right.len() > 5, "{right:?}");
    for round in 0..3 * DAMAGES.len() {
        let damage = DAMAGES[round % DAMAGES.len()].replace("{n}", &random.below(9_000_000).to_string());
        bench.owner.run(&damage);
        for statement in [
            SEARCH,
            "SELECT kb_search('number w7 w77 w777', 'h', 'keyword', ranker => 'ts_rank_cd')",
            "SELECT kb_search('\"number of\" text -zebra', 'h', filter => '{\"a\": 1}', fusion => 'relative', syntax => 'web')",
            "SELECT kb_search(string_agg('w' || n, ' '), 'h', 'keyword') FROM generate_series(1, 300) n",
            "SELECT kb_add('h', 'A number of other text.', source_key => 'new')",
            "DELETE FROM kb_h.document WHERE source_key = 'new'",
            "UPDATE kb_h.document SET title = title WHERE source_key = 'large'",
            "CALL kb_work(0)",
            "SELECT * FROM kb_rag.status",
        ] {
            bench.survives(round % 2 == 0, statement, &damage);
        }
        let repair = ["SELECT kb_reindex('h')", "SELECT kb_reconcile('h')"][round / DAMAGES.len() % 2];
        assert_eq!(bench.survives(round % 2 == 0, repair, &damage), "00000", "{repair} after {damage}");
        if repair.contains("kb_reindex") {
            assert_eq!(answers(&mut bench), right, "after {damage}");
        }
        bench.survives(true, SEARCH, &format!("{repair} after {damage}"));
        bench.owner.run("SELECT kb_reindex('h')");
        assert_eq!(answers(&mut bench), right, "after {damage}");
    }
    bench.finish(9 * DAMAGES.len());
}

/// kb_adopt reads the settings written by the owner of a base, even with a superuser's privileges.
#[test]
fn no_setting_of_a_base_is_an_internal_error_when_it_is_adopted() {
    let mut bench = Bench::new();
    let mut adopted = 0;
    for (name, values) in SETTINGS {
        for (place, value) in values.iter().enumerate() {
            let after = format!("{name} = {value}");
            let set = format!(
                "INSERT INTO kb_h.setting VALUES ('{name}', {}) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                postgres_literal(value)
            );
            // As after DROP EXTENSION, and as if only the triggers were lost.
            bench.owner.run(&set);
            if place % 2 == 0 {
                bench.superuser.run("DELETE FROM kb_rag.knowledge_base; DELETE FROM kb_rag.attached_table");
            }
            bench.owner.run("DROP TRIGGER kb_rag_insert ON kb_h.document");
            for as_owner in [true, false] {
                let state = bench.survives(as_owner, "SELECT kb_adopt('kb_h')", &after);
                adopted += usize::from(state == "00000");
            }
            for statement in
                ["SELECT kb_search('number text', 'h')", "SELECT kb_reconcile('h')", "SELECT kb_list()"]
            {
                bench.survives(false, statement, &after);
            }
            bench.remove_base();
            bench.make_base();
        }
    }
    assert!(
        adopted > 10,
        "{adopted} of the bases were adopted: settings that do no harm must not stand in the way"
    );
    bench.finish(200);
}

fn postgres_literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A damaged row of the catalog breaks only its own base, and kb_drop removes that base.
#[test]
fn a_damaged_row_of_the_catalog_breaks_its_base_alone() {
    let mut bench = Bench::new();
    bench.superuser.create_base("sound");
    bench.superuser.run("SELECT kb_add('sound', 'A sound number of text.')");
    loosen(&mut bench.superuser, "kb_rag", "knowledge_base");
    let all = columns(&mut bench.superuser, "kb_rag", "^knowledge_base$");
    let mut random = Random(3);
    for [_, column, type_name] in all {
        // NULL and some of the other values.
        let values = values(&type_name);
        let others = [values[0], *random.one(values), *random.one(values), *random.one(values)];
        for value in BTreeSet::from(others) {
            // The names of the base and of its schema are not part of this test.
            if ["id", "name", "slug", "schema"].contains(&column.as_str()) {
                continue;
            }
            let after = format!("{column} = {value}");
            bench
                .superuser
                .run(&format!("UPDATE kb_rag.knowledge_base SET {column} = {value} WHERE name = 'h'"));
            for statement in [
                "SELECT kb_search('number', 'h')",
                "SELECT kb_add('h', 'Some text.')",
                "INSERT INTO kb_h.document (content) VALUES ('Some text.')",
                "UPDATE attached SET body = body || '.'",
                "SELECT kb_reconcile('h')",
                "SELECT kb_configure('h', description => 'x')",
                "SELECT kb_grant('h', 'public', 'read')",
            ] {
                bench.survives(false, statement, &after);
            }
            for statement in [
                "SELECT kb_add('sound', 'Another number of text.', source_key => 'x')",
                "INSERT INTO kb_sound.document (source_key, content) VALUES ('y', 'One.'); DELETE FROM kb_sound.document WHERE source_key = 'y'",
                "SELECT kb_search('number', 'sound')",
                "SELECT kb_search('number')",
                "SELECT kb_list()",
                "SELECT * FROM kb_rag.status",
                "SELECT * FROM kb_rag.failed",
                "SELECT * FROM kb_rag.source_status",
                "SELECT kb_reconcile('sound')",
                "CALL kb_work(0)",
                "SELECT kb_drop('h')",
            ] {
                let state = bench.survives(false, statement, &after);
                assert_eq!(state, "00000", "{statement} after {after}");
            }
            let found: i64 = bench.superuser.value("SELECT count(*) FROM kb_search('number', 'sound')", &[]);
            assert_eq!(found, 2, "after {after}");
            bench.remove_base();
            bench.make_base();
        }
    }
    bench.finish(400);
}

/// The same for the rest of the catalog, as far as internal errors are concerned.
#[test]
fn no_value_in_the_catalog_is_an_internal_error() {
    let mut bench = Bench::new();
    let tables = "^(agent_knowledge_base|attached_table|job|pause|query_cache|usage)$";
    let all = columns(&mut bench.superuser, "kb_rag", tables);
    for table in ["agent_knowledge_base", "attached_table", "job", "pause", "query_cache", "usage"] {
        loosen(&mut bench.superuser, "kb_rag", table);
    }
    let mut random = Random(5);
    for [table, column, type_name] in all {
        if type_name == "real[]" {
            continue;
        }
        let value = *random.one(values(&type_name));
        bench.superuser.run(
            "INSERT INTO kb_rag.job (knowledge_base_id, kind, target)
             SELECT k.id, kind, d.id FROM kb_rag.knowledge_base k, kb_h.document d, unnest('{embed,backfill}'::text[]) kind;
             INSERT INTO kb_rag.pause (knowledge_base_id, kind, until, reason, failures)
             SELECT id, 'embed', 'infinity', 'x', 1 FROM kb_rag.knowledge_base;
             INSERT INTO kb_rag.usage (model, calls, items, errors) VALUES ('fake/test', 1, 1, 0)",
        );
        let written = bench.write(false, &format!("kb_rag.{table}"), &column, value);
        bench.read_all(false, &format!("{table}.{column} = {value}, written: {written}"));
        bench.remove_base();
        bench.superuser.run("DELETE FROM kb_rag.usage");
        bench.make_base();
    }
    assert!(bench.written > 40, "{} values were written", bench.written);
    bench.finish(500);
}
