//! No owner can delay statements of other roles that name no base: these skip bases outside of the caller's
//! circle.

use kb_rag_cluster_tests::{Database, Session, wait_until_waiting};
use postgres::Client;

/// Statements that show or search all bases.
const UNNAMED: [&str; 6] = [
    "SELECT count(*) FROM kb_rag.status",
    "SELECT count(*) FROM kb_rag.failed",
    "SELECT count(*) FROM kb_rag.source_status",
    "SELECT count(*) FROM kb_search('text')",
    "SELECT count(*) FROM kb_search('text', mode => 'keyword', ranker => 'ts_rank')",
    "SELECT count(*) FROM kb_hybrid_search('text', fusion => 'relative')",
];

/// A base `theirs` that every role may read, with a failed document and an attached table; a base `mine` of
/// another role.
struct Town {
    database: Database,
    owner: String,
    as_owner: Client,
    bystander: String,
    as_superuser: Client,
}

fn town() -> Town {
    let database = Database::create();
    let (owner, bystander) = (database.create_owner("owner"), database.create_owner("bystander"));
    let (mut as_owner, mut as_superuser) = (database.connect_as(&owner), database.connect());
    as_owner.run("SET application_name = 'owner'");
    as_owner.create_base("theirs");
    as_owner.run("SELECT kb_add('theirs', 'A text of theirs.'); SELECT kb_grant('theirs', 'public', 'read')");
    as_superuser.run(&format!(
        "CREATE SCHEMA of_owner AUTHORIZATION {owner};
         INSERT INTO kb_rag.job (knowledge_base_id, kind, target, attempts, failed, error)
             SELECT k.id, 'embed', d.id, 8, true, 'made up' FROM kb_rag.knowledge_base k, kb_theirs.document d"
    ));
    as_owner.run(
        "CREATE TABLE of_owner.note (id int PRIMARY KEY, body text);
         SELECT kb_attach('of_owner.note', 'theirs', 'body', wait => true)",
    );
    let mut as_bystander = database.connect_as(&bystander);
    as_bystander.create_base("mine");
    as_bystander.run("SELECT kb_add('mine', 'A text of mine.')");
    Town { database, owner, as_owner, bystander, as_superuser }
}

impl Town {
    /// Sessions of roles that are unrelated to the owner.
    fn unrelated(&self) -> [Client; 2] {
        [self.database.connect_as(&self.bystander), self.database.connect()]
    }

    /// The titles of the bases found by a search without a scope.
    fn found(client: &mut Client) -> Vec<String> {
        client.column("SELECT DISTINCT knowledge_base FROM kb_search('text') ORDER BY 1", &[])
    }
}

#[test]
fn an_index_expression_that_sleeps_delays_no_other_role() {
    let mut town = town();
    town.as_owner.run(
        "CREATE FUNCTION of_owner.slow(text) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
         BEGIN
             IF current_setting('application_name') <> 'owner' THEN PERFORM pg_sleep(3600); END IF;
             RETURN 1;
         END $$",
    );
    for table in ["document", "chunk", "embedding", "source"] {
        town.as_owner.run(&format!("CREATE INDEX ON kb_theirs.{table} ((of_owner.slow('x')))"));
    }
    for mut client in town.unrelated() {
        client.run("SET statement_timeout = '10s'");
        for statement in UNNAMED {
            assert_eq!(client.state_of(statement, &[]), "00000", "{statement}");
        }
        // The trap works: it delays statements that name the base.
        client.run("SET statement_timeout = '300ms'");
        assert_eq!(client.state_of("SELECT count(*) FROM kb_search('text', 'theirs')", &[]), "57014");
        client.run("SET application_name = 'owner'; SET statement_timeout = '10s'");
        assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_search('text', 'theirs')", &[]), 1);
        let note: String =
            client.value("SELECT note FROM kb_rag.status WHERE knowledge_base = 'theirs'", &[]);
        assert_eq!(note, "statistics kept by workers");
    }
    // A role related to the owner is delayed.
    town.as_superuser.run(&format!("GRANT {} TO {}", town.owner, town.bystander));
    let mut client = town.database.connect_as(&town.bystander);
    client.run("SET statement_timeout = '300ms'");
    for statement in [UNNAMED[0], UNNAMED[1], UNNAMED[3]] {
        assert_eq!(client.state_of(statement, &[]), "57014", "{statement}");
    }
}

#[test]
fn a_lock_outside_of_the_circle_is_not_waited_for() {
    let mut town = town();
    town.database.set("kb_rag.test_limits", "short_wait=3600000");
    for lock in [
        "LOCK TABLE kb_theirs.document",
        "LOCK TABLE kb_theirs.chunk",
        "LOCK TABLE kb_theirs.embedding",
        "LOCK TABLE kb_theirs.source",
        "LOCK TABLE kb_theirs.keyword_segment",
        "LOCK TABLE kb_theirs.keyword_run",
        "ALTER TABLE kb_theirs.document ADD COLUMN more text",
        "REINDEX INDEX kb_theirs.document_pkey",
    ] {
        town.as_owner.run(&format!("BEGIN; {lock}"));
        for mut client in town.unrelated() {
            // A wait would end with it.
            client.run("SET statement_timeout = '20s'");
            for statement in UNNAMED {
                assert_eq!(client.state_of(statement, &[]), "00000", "{lock}: {statement}");
            }
            assert!(!Town::found(&mut client).contains(&"theirs".to_string()));
        }
        town.as_owner.run("ROLLBACK");
    }
    // A base that is named is waited for, longer than any other.
    town.database.set("kb_rag.test_limits", "short_wait=50");
    town.as_owner.run("BEGIN; LOCK TABLE kb_theirs.document");
    for mut client in town.unrelated() {
        client.run("SET statement_timeout = '300ms'");
        assert_eq!(client.state_of("SELECT count(*) FROM kb_search('text', 'theirs')", &[]), "57014");
    }
    town.as_owner.run("ROLLBACK");
    for mut client in town.unrelated() {
        assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_search('text', 'theirs')", &[]), 1);
    }
}

/// Whichever tables of bases in the caller's circle are locked, and by whichever role.
#[test]
fn locks_in_the_circle_are_waited_for_a_short_time_in_total() {
    let town = town();
    town.database.set("kb_rag.test_limits", "short_wait=100");
    let mut as_owner = town.database.connect();
    for name in ["first", "second", "third"] {
        as_owner.create_base(name);
        as_owner.run(&format!(
            "SELECT kb_add('{name}', 'A text of the {name}.'); SELECT kb_grant('{name}', 'public', 'read')"
        ));
    }
    let (mut client, notices) = town.database.connect_listening(&town.bystander);
    let others = ["mine", "second", "third"];
    for lock in [
        "LOCK TABLE kb_first.document",
        "LOCK TABLE kb_first.chunk",
        "LOCK TABLE kb_first.embedding",
        "LOCK TABLE kb_first.keyword_segment",
        "LOCK TABLE kb_first.keyword_run",
        "REINDEX INDEX kb_first.chunk_pkey",
    ] {
        as_owner.run(&format!("BEGIN; {lock}"));
        client.run("SET statement_timeout = '20s'");
        notices.take();
        assert_eq!(Town::found(&mut client), others, "{lock}");
        let received = notices.take();
        let warning = "knowledge base \"first\" is left out: another transaction holds a lock on its tables"
            .to_string();
        assert!(received.contains(&warning), "{lock}: {received:?}");
        let shown = "SELECT concat_ws(' ', knowledge_base, documents, note, counted_at = statement_timestamp()) FROM kb_rag.status
                     WHERE knowledge_base <> 'theirs'";
        let rows: Vec<String> = client.column(shown, &[]);
        assert_eq!(
            rows,
            ["first locked by another transaction", "mine 1 t", "second 1 t", "third 1 t"],
            "{lock}"
        );
        let received = notices.take();
        let warning =
            "knowledge base \"first\" is not counted: another transaction holds a lock on its tables"
                .to_string();
        assert!(received.contains(&warning), "{lock}: {received:?}");
        // The transaction stays usable.
        client.run("BEGIN; SELECT count(*) FROM kb_rag.status; SELECT kb_add('mine', 'Written after.', source_key => 'k'); ROLLBACK");
        as_owner.run("ROLLBACK");
    }
    // Three locks are waited for no longer than one: three waits of two seconds would end with statement_timeout.
    as_owner.run("BEGIN; LOCK TABLE kb_first.document, kb_second.chunk, kb_third.embedding");
    town.database.set("kb_rag.test_limits", "short_wait=2000");
    let mut client = town.database.connect_as(&town.bystander);
    client.run("SET statement_timeout = '5s'");
    assert_eq!(Town::found(&mut client), ["mine"]);
    // A shorter lock_timeout applies.
    town.database.set("kb_rag.test_limits", "short_wait=3600000");
    let (mut client, notices) = town.database.connect_listening(&town.bystander);
    client.run("SET statement_timeout = '20s'; SET lock_timeout = '20ms'");
    assert_eq!(Town::found(&mut client), ["mine"]);
    // A base that is named is waited for as long as the session allows.
    assert_eq!(client.state_of("SELECT count(*) FROM kb_search('text', 'first')", &[]), "55P03");
    as_owner.run("ROLLBACK");
    notices.take();
    assert_eq!(Town::found(&mut client), ["first", "mine", "second", "third"]);
    assert!(!notices.take().iter().any(|received| received.contains("holds a lock")));
}

/// A lock that is released in time is waited for.
#[test]
fn a_short_lock_leaves_nothing_out() {
    let mut town = town();
    town.database.set("kb_rag.test_limits", "short_wait=20000");
    let mut as_owner = town.database.connect();
    as_owner.create_base("first");
    as_owner
        .run("SELECT kb_add('first', 'A text of the first.'); SELECT kb_grant('first', 'public', 'read')");
    as_owner.run("BEGIN; LOCK TABLE kb_first.embedding");
    let (mut client, notices) = town.database.connect_listening(&town.bystander);
    let pid = client.pid();
    let searching = std::thread::spawn(move || Town::found(&mut client));
    wait_until_waiting(&mut town.as_superuser, pid);
    as_owner.run("COMMIT");
    assert_eq!(searching.join().unwrap(), ["first", "mine"]);
    let received = notices.take();
    assert!(received.len() == 1 && received[0].contains("left out: \"theirs\""), "{received:?}");
}

#[test]
fn bases_granted_to_public_break_no_search_of_others() {
    let mut town = town();
    town.as_owner.run(
        "SELECT kb_create('many ' || n, model => 'fake/test', dimensions => 4) FROM generate_series(1, 65) n;
         SELECT kb_grant('many ' || n, 'public', 'read') FROM generate_series(1, 65) n",
    );
    for role in [town.bystander.as_str(), "postgres"] {
        let (mut client, notices) = town.database.connect_listening(role);
        let mine: &[&str] = if role == "postgres" { &[] } else { &["mine"] };
        assert_eq!(Town::found(&mut client), mine);
        let received = notices.take();
        let others = 66 + usize::from(role == "postgres");
        let count = format!("{others} knowledge bases of other roles are left out: ");
        assert_eq!(
            received.iter().filter(|received| received.contains("left out")).count(),
            1,
            "{received:?}"
        );
        assert!(
            received.iter().any(|received| received.starts_with(&count)
                && received.contains(&format!("and {} more", others - 3))),
            "{received:?}"
        );
        assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_search('text', 'theirs')", &[]), 1);
        assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_list()", &[]), 67);
    }
    // There are too many for roles whose circle contains them.
    assert_eq!(town.as_owner.state_of(UNNAMED[3], &[]), "54000");
    town.as_superuser.run(&format!("GRANT {} TO {}", town.owner, town.bystander));
    assert_eq!(town.database.connect_as(&town.bystander).state_of(UNNAMED[3], &[]), "54000");
}

#[test]
fn a_circle_consists_of_owners_members_and_grants_by_name() {
    let mut town = town();
    let (owner, bystander) = (town.owner.clone(), town.bystander.clone());
    let group = town.database.create_role("group");
    town.as_superuser.run(&format!("GRANT {group} TO {bystander}"));
    let tables = "kb_theirs.document, kb_theirs.chunk, kb_theirs.embedding";
    let everybody = "SELECT kb_grant('theirs', 'public', 'read')".to_string();
    let nobody = "SELECT kb_revoke('theirs', 'public', 'read')".to_string();
    let cases: Vec<(&str, Vec<String>, bool, bool)> = vec![
        ("PUBLIC alone", vec![], false, false),
        (
            "a grant to the role",
            vec![format!("SELECT kb_grant('theirs', '{bystander}', 'read')")],
            true,
            false,
        ),
        (
            "that without PUBLIC",
            vec![nobody.clone(), format!("SELECT kb_grant('theirs', '{bystander}', 'read')")],
            true,
            false,
        ),
        ("a grant to its group", vec![format!("SELECT kb_grant('theirs', '{group}', 'read')")], true, false),
        ("the schema by name", vec![format!("GRANT USAGE ON SCHEMA kb_theirs TO {group}")], true, false),
        ("a table by name", vec![format!("GRANT SELECT ON kb_theirs.chunk TO {bystander}")], true, false),
        ("another privilege by name", vec![format!("GRANT INSERT ON {tables} TO {bystander}")], false, false),
        (
            "a grant to the superuser",
            vec!["SELECT kb_grant('theirs', 'postgres', 'read')".to_string()],
            false,
            true,
        ),
        ("a member of the owner", vec![format!("GRANT {owner} TO {group}")], true, false),
        ("the superuser is one", vec![format!("GRANT {owner} TO postgres")], false, true),
        (
            "pg_read_all_data",
            vec![nobody.clone(), format!("GRANT pg_read_all_data TO {bystander}")],
            false,
            false,
        ),
        ("a superuser's base", vec![format!("ALTER ROLE {owner} SUPERUSER")], true, true),
    ];
    for (what, grants, bystanders, superusers) in cases {
        town.as_superuser.run(&everybody);
        for grant in &grants {
            town.as_superuser.run(grant);
        }
        let finds =
            |role: &str| Town::found(&mut town.database.connect_as(role)).contains(&"theirs".to_string());
        assert_eq!(finds(&bystander), bystanders, "{what}: the bystander");
        assert_eq!(finds("postgres"), superusers, "{what}: the superuser");
        for role in [bystander.as_str(), "postgres"] {
            let mut client = town.database.connect_as(role);
            let kept: bool = client
                .value("SELECT coalesce(note = 'statistics kept by workers', false) FROM kb_rag.status WHERE knowledge_base = 'theirs'", &[]);
            assert_eq!(kept, !finds(role), "{what}: {role}");
            // The other roles get a notice, and a search that names the base finds it.
            assert_eq!(
                client.value::<i64>("SELECT count(*) FROM kb_search('text', 'theirs')", &[]),
                1,
                "{what}: {role}"
            );
            assert_eq!(
                client.value::<i64>("SELECT count(*) FROM kb_rag.failed", &[]),
                i64::from(finds(role)),
                "{what}: {role}"
            );
            assert_eq!(
                client.value::<i64>("SELECT count(*) FROM kb_rag.source_status", &[]),
                i64::from(finds(role)),
                "{what}: {role}"
            );
        }
        town.as_superuser.run(&format!(
            "SET client_min_messages = error;
             SELECT kb_revoke('theirs', '{bystander}', 'read'), kb_revoke('theirs', '{group}', 'read'), kb_revoke('theirs', 'postgres', 'read');
             REVOKE ALL ON {tables} FROM {bystander}; REVOKE {owner} FROM {group}, postgres;
             REVOKE pg_read_all_data FROM {bystander}; ALTER ROLE {owner} NOSUPERUSER"
        ));
    }
    // A session that becomes the owner has the owner's circle.
    town.as_superuser.run(&format!("{everybody}; SET ROLE {owner}"));
    assert_eq!(Town::found(&mut town.as_superuser), ["theirs"]);
}
