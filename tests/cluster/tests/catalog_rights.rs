//! Only the functions write the catalog: members of pg_write_all_data and pg_read_all_data gain nothing
//! from it beyond what PostgreSQL itself gives them. Also tests the catalog's contents in a dump.

use std::process::{Output, Stdio};

use kb_rag_cluster_tests::mock::Mock;
use kb_rag_cluster_tests::pipeline::{RemoteSession, wait_until_idle, wait_until_no_worker};
use kb_rag_cluster_tests::{Database, Session, client_program};
use postgres::Client;

/// Tables that neither readers nor writers of all data see.
const HIDDEN: [&str; 5] = ["limited_grant", "provider", "provider_grant", "search_log", "secret"];

/// A string that occurs nowhere else.
const KEY: &str = "sk-canary-8d1f6a2c9b40";

/// A database whose catalog has a row in every table, and its provider.
fn full_catalog() -> (Database, Mock, Client) {
    let (database, mock) = (Database::create(), Mock::openai());
    let mut client = database.connect();
    client
        .query("SELECT kb_secret_set('canary', $1, $2)", &[&KEY, &format!("http://{}", mock.address())])
        .unwrap();
    client.set_provider("mock", &mock);
    client.run(
        "SELECT kb_provider_set('mock', headers => '{\"X-Api-Key\": \"secret:canary\", \"X-Team\": \"search\"}');
         SELECT kb_provider_grant('mock', 'public')",
    );
    client.create_remote_base("notes", "mock/small");
    client.run(
        "INSERT INTO kb_notes.document (content) VALUES ('A note.');
         CREATE TABLE article (id int PRIMARY KEY, body text);
         INSERT INTO article VALUES (1, 'A row.');
         SELECT kb_attach('article', 'notes', 'body', wait => true);
         SELECT kb_attach_agent('a0000000-0000-0000-0000-00000000000a', 'notes');
         SELECT kb_agent_configure('a0000000-0000-0000-0000-00000000000a', use_knowledge_base => false);
         INSERT INTO kb_rag.held_job SELECT id, 'embed', id, 'a0000000-0000-0000-0000-00000000000a' FROM kb_rag.knowledge_base",
    );
    client.run(
        "SELECT kb_provider_grant('web', 'public', 'a0000000-0000-0000-0000-00000000000a');
         SELECT kb_add_url('notes', 'https://example.com/'); DELETE FROM kb_rag.job WHERE kind = 'source';
         INSERT INTO kb_rag.web_page (source_id, url, depth, crawl) SELECT source_id, location, 0, 1 FROM kb_rag.web_source;
         INSERT INTO kb_rag.web_host (origin) VALUES ('https://example.com');
         INSERT INTO kb_rag.web_wait (origin, until, reason) VALUES ('https://example.com', now(), 'a reason');
         INSERT INTO kb_rag.web_try (source_id, is_open) SELECT source_id, false FROM kb_rag.web_source;
         INSERT INTO kb_rag.web_slow (origin, until) VALUES ('https://example.com', now())",
    );
    wait_until_idle(&mut client);
    client.run(
        "SELECT kb_warm_query('what', 'notes');
         SELECT kb_prompt_set('rewrite', 'Expand abbreviations.');
         SET kb_rag.log_searches = on;
         SELECT kb_snippets('[{\"role\": \"user\", \"content\": \"what\"}]', agent_id => 'nobody', fallback_base => 'notes');
         INSERT INTO kb_rag.pause (provider, until, reason, failures) VALUES ('nobody', now(), 'a reason', 1);
         INSERT INTO kb_rag.base_statistics (knowledge_base_id, documents, pending, indexed, failed, chunks,
             embedded, activity, seconds, counted_at)
         SELECT id, 2, 0, 2, 0, 2, 2, '', 0, now() FROM kb_rag.knowledge_base;
         INSERT INTO kb_rag.job (knowledge_base_id, kind, target, failed)
         SELECT k.id, 'embed', d.id, true FROM kb_rag.knowledge_base k, kb_notes.document d LIMIT 1",
    );
    // A worker would take it.
    wait_until_no_worker(&mut client);
    client.run(
        "INSERT INTO kb_rag.missed_write SELECT id, NULL FROM kb_rag.knowledge_base;
         INSERT INTO kb_rag.worker_refusal VALUES (2, 'epoch')",
    );
    (database, mock, client)
}

fn tables(client: &mut Client) -> Vec<String> {
    client.column(
        "SELECT c.relname::text FROM pg_class c WHERE c.relnamespace = 'kb_rag'::regnamespace AND c.relkind = 'r' ORDER BY 1",
        &[],
    )
}

fn rows(client: &mut Client, table: &str) -> i64 {
    client.value(&format!("SELECT count(*) FROM kb_rag.{table}"), &[])
}

#[test]
fn only_the_functions_write_the_catalog() {
    let (database, _mock, mut client) = full_catalog();
    let writer = database.create_role("writer");
    client.run(&format!("GRANT pg_write_all_data, pg_read_all_data TO {writer}; CREATE TABLE other (n int)"));
    let mut as_writer = database.connect_as(&writer);
    // PostgreSQL's own privilege applies to other tables, including those of the base.
    as_writer
        .run("INSERT INTO other VALUES (1); UPDATE other SET n = 2; UPDATE kb_notes.source SET title = 'x'");
    assert_eq!(as_writer.column::<i32>("DELETE FROM other RETURNING n", &[]), [2]);
    let tables = tables(&mut client);
    assert!(tables.len() >= 10, "{tables:?}");
    for table in &tables {
        let there = rows(&mut client, table);
        let everything = |client: &mut Client| -> Vec<String> {
            client.column(&format!("SELECT t::text FROM kb_rag.{table} t ORDER BY 1"), &[])
        };
        let before = everything(&mut client);
        assert!(there > 0, "the test has no row of {table}");
        let seen = if HIDDEN.contains(&table.as_str()) { 0 } else { there };
        assert_eq!(rows(&mut as_writer, table), seen, "{table}");
        let columns: Vec<String> = client.column(
            "SELECT attname::text FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum > 0 ORDER BY attnum",
            &[&format!("kb_rag.{table}")],
        );
        let column = &columns[0];
        for statement in
            [format!("UPDATE kb_rag.{table} SET {column} = {column}"), format!("DELETE FROM kb_rag.{table}")]
        {
            assert_eq!(as_writer.execute(&statement, &[]).unwrap(), 0, "{statement}");
        }
        // An existing row: if it were not rejected, it would be a duplicate.
        let row: String =
            client.value(&format!("SELECT quote_literal(t::text) FROM kb_rag.{table} t LIMIT 1"), &[]);
        let insert = format!("INSERT INTO kb_rag.{table} SELECT ({row}::kb_rag.{table}).*");
        assert_eq!(as_writer.state_of(&insert, &[]), "42501", "{insert}");
        assert_eq!(as_writer.state_of(&format!("TRUNCATE kb_rag.{table}"), &[]), "42501", "{table}");
        assert_eq!(everything(&mut client), before, "{table}");
    }
    // The functions write them for every caller.
    client.run("SELECT kb_retry('notes'); SELECT kb_provider_revoke('mock', 'public'); SELECT kb_add('notes', 'Another note.')");
    wait_until_idle(&mut client);
    assert!(rows(&mut client, "usage") > 1);
}

/// Otherwise a writer of all data could send the server's environment to an address of its choice.
#[test]
fn a_forged_provider_calls_nobody() {
    let (database, mock, mut client) = full_catalog();
    let writer = database.create_role("writer");
    client.run(&format!("GRANT pg_write_all_data TO {writer}"));
    let mut as_writer = database.connect_as(&writer);
    let forge = format!(
        "INSERT INTO kb_rag.provider (name, kind, base_url, api_key, owner) VALUES ('forged', 'openai', '{}', 'env:PATH', 'postgres')",
        mock.base_url()
    );
    let grant = format!("INSERT INTO kb_rag.provider_grant VALUES ('forged', '{writer}')");
    let embed = "SELECT kb_embed('text', 'forged/small', 8)";
    let before = mock.calls().len();
    assert_eq!(as_writer.state_of(&forge, &[]), "42501");
    assert_eq!(as_writer.state_of(&grant, &[]), "42501");
    assert_eq!(as_writer.state_of(embed, &[]), "42704");
    assert_eq!(mock.calls().len(), before);
    // The same rows written by a superuser would work.
    client.run(&forge);
    client.run(&grant);
    assert_eq!(as_writer.state_of(embed, &[]), "00000");
    let call = mock.calls().pop().unwrap();
    assert!(
        call.header("authorization").unwrap().starts_with("Bearer /"),
        "{:?}",
        call.header("authorization")
    );
}

/// A header that names a key sends the key, and no table, list or dump contains it.
#[test]
fn headers_send_referenced_keys_and_no_dump_contains_them() {
    let (database, mock, mut client) = full_catalog();
    client.run("SELECT kb_embed('a text', 'mock/small', 8)");
    let call = mock.calls().pop().unwrap();
    assert_eq!(call.header("x-api-key"), Some(KEY));
    assert_eq!(call.header("x-team"), Some("search"));
    // With a word before it, and for a role that is not a superuser.
    let owner = database.create_owner("owner");
    let mut as_owner = database.connect_as(&owner);
    let origin = format!("http://{}", mock.address());
    as_owner.query("SELECT kb_secret_set('own', $1, $2)", &[&KEY, &origin]).unwrap();
    as_owner.run(&format!(
        "SELECT kb_provider_set('own', kind => 'openai', base_url => '{}', headers => '{{\"Authorization\": \"Token secret:own\"}}')",
        mock.base_url()
    ));
    client.run(&format!("SET kb_rag.allowed_hosts = '{}'; SET ROLE {owner}; SELECT kb_embed('text', 'own/small', 8); RESET ROLE", mock.address()));
    assert_eq!(mock.calls().pop().unwrap().header("authorization"), Some(&*format!("Token {KEY}")));
    let listed: Vec<String> =
        as_owner.value("SELECT headers FROM kb_provider_list() WHERE name = 'own'", &[]);
    assert_eq!(listed, ["authorization: secret:own"]);
    // Dumps contain the names of keys.
    let dump = String::from_utf8(pg_dump(&database, "postgres", &[]).stdout).unwrap();
    assert!(dump.contains("secret:canary") && dump.contains("Token secret:own"));
    assert!(!dump.contains(KEY), "a dump has the key");
}

fn pg_dump(database: &Database, role: &str, options: &[&str]) -> Output {
    // The last of several users counts, so this one overrides that of client_program.
    client_program("pg_dump").args(["-U", role, "-d", database.name()]).args(options).output().unwrap()
}

/// Restores a dump as superuser; returns a session in the new database.
fn restore(dump: &[u8]) -> (Database, Client) {
    let to = Database::bare("");
    let mut psql = client_program("psql")
        .args(["-q", "-X", "-v", "ON_ERROR_STOP=1", "-d", to.name()])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut psql.stdin.take().unwrap(), dump).unwrap();
    assert!(psql.wait().unwrap().success());
    let client = to.connect();
    (to, client)
}

#[test]
fn dumps_need_a_superuser_or_a_role_that_bypasses_row_security() {
    let (database, _mock, mut client) = full_catalog();
    client.run("DELETE FROM kb_rag.job; DELETE FROM kb_rag.pause");
    let reader = database.create_role("reader");
    client.run(&format!("GRANT pg_read_all_data TO {reader}"));
    let refused = pg_dump(&database, &reader, &[]);
    let why = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && why.contains("row-level security"), "{why}");
    // Without providers and grants.
    let partly = pg_dump(&database, &reader, &["--enable-row-security"]);
    assert!(partly.status.success(), "{}", String::from_utf8_lossy(&partly.stderr));
    let (_partly, mut restored) = restore(&partly.stdout);
    assert_eq!(rows(&mut restored, "knowledge_base"), 1);
    assert_eq!(restored.value::<i64>("SELECT count(*) FROM kb_rag.provider WHERE NOT builtin", &[]), 0);
    client.run(&format!("ALTER ROLE {reader} BYPASSRLS"));
    let by_reader = pg_dump(&database, &reader, &[]);
    assert!(by_reader.status.success(), "{}", String::from_utf8_lossy(&by_reader.stderr));
    for dump in [by_reader.stdout, pg_dump(&database, "postgres", &[]).stdout] {
        assert!(!String::from_utf8_lossy(&dump).contains(KEY));
        let (_to, mut restored) = restore(&dump);
        for table in tables(&mut client) {
            let lost = [
                "secret",
                "query_cache",
                "pause",
                "base_statistics",
                "search_log",
                "unattached_agent",
                "web_host",
                "web_schedule",
                "web_slow",
                "web_try",
                "web_wait",
                "worker_refusal",
            ];
            let kept = !lost.contains(&table.as_str());
            let expected = if kept { rows(&mut client, &table) } else { 0 };
            assert_eq!(rows(&mut restored, &table), expected, "{table}");
        }
        let secured: Vec<String> = restored.column(
            "SELECT relname::text FROM pg_class WHERE relnamespace = 'kb_rag'::regnamespace AND relkind = 'r' AND NOT relrowsecurity",
            &[],
        );
        assert!(secured.is_empty(), "{secured:?}");
        assert_eq!(restored.state_of("SELECT kb_embed('text', 'mock/small', 8)", &[]), "55000", "no key");
    }
}
