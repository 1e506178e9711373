//! The statistics that kb_rag.status shows for bases outside of the caller's circle, and the process that
//! counts them.

use kb_rag_cluster_tests::pipeline::workers;
use kb_rag_cluster_tests::{Database, Server, Session, wait_until};
use postgres::Client;

/// A base whose owner's circle does not include the superuser.
struct Theirs {
    database: Database,
    as_owner: Client,
    as_superuser: Client,
}

fn theirs() -> Theirs {
    let database = Database::create();
    let owner = database.create_owner("owner");
    let mut as_owner = database.connect_as(&owner);
    as_owner.create_base("theirs");
    as_owner.run("SELECT kb_add('theirs', 'One text.'), kb_add('theirs', 'Another text.')");
    flush(&mut as_owner);
    Theirs { as_superuser: database.connect(), database, as_owner }
}

/// Flushes the session's counters of its tables to the cumulative statistics at once.
fn flush(client: &mut Client) {
    client.run("SELECT pg_stat_force_next_flush()");
}

/// The row of a base in kb_rag.status: documents, chunks and vectors, the note, and whether a time is given.
fn shown(client: &mut Client, base: &str) -> String {
    client.value(
        "SELECT concat_ws(' ', coalesce(documents::text, '-'), coalesce(chunks::text, '-'), coalesce(embedded::text, '-'),
             coalesce(coverage::text, '-'), table_bytes > 0, note, counted_at < now())
         FROM kb_rag.status WHERE knowledge_base = $1",
        &[&base],
    )
}

fn wait_until_shown(client: &mut Client, base: &str, expected: &str) {
    let mut last = String::new();
    wait_until(&format!("{base}: {expected}"), || {
        let now = shown(client, base);
        if now != last {
            println!("{base}: {now}");
        }
        last = now;
        last == expected
    });
}

const KEPT: &str = "statistics kept by workers";

#[test]
fn statistics_appear_with_their_time_and_follow_the_tables() {
    let mut base = theirs();
    assert_eq!(shown(&mut base.as_superuser, "theirs"), format!("- - - - {KEPT}"));
    wait_until_shown(&mut base.as_superuser, "theirs", &format!("2 2 2 100 t {KEPT} t"));
    let at = "SELECT counted_at::text FROM kb_rag.status WHERE knowledge_base = 'theirs'";
    let first: String = base.as_superuser.value(at, &[]);
    base.as_owner.run("SELECT kb_add('theirs', 'A third text.')");
    flush(&mut base.as_owner);
    wait_until_shown(&mut base.as_superuser, "theirs", &format!("3 3 3 100 t {KEPT} t"));
    let second: String = base.as_superuser.value(at, &[]);
    assert!(second > first, "{first}, {second}");
    base.as_owner.run("DELETE FROM kb_theirs.embedding");
    flush(&mut base.as_owner);
    wait_until_shown(&mut base.as_superuser, "theirs", &format!("3 3 0 0 t {KEPT} t"));
    base.as_owner.run(
        "ALTER TABLE kb_theirs.document DISABLE TRIGGER USER;
         UPDATE kb_theirs.document SET chunker_version = NULL, file_hash = CASE WHEN content = 'One text.' THEN 'x'::bytea END;
         ALTER TABLE kb_theirs.document ENABLE TRIGGER USER",
    );
    flush(&mut base.as_owner);
    let outdated =
        "SELECT concat_ws(' ', outdated, outdated_files) FROM kb_rag.status WHERE knowledge_base = 'theirs'";
    wait_until("outdated documents", || base.as_superuser.value::<String>(outdated, &[]) == "3 1");
    base.as_owner.run("TRUNCATE kb_theirs.document CASCADE");
    wait_until_shown(&mut base.as_superuser, "theirs", &format!("0 0 0 100 t {KEPT} t"));
    // For a base in the circle, the statement itself counts.
    let owner: String = base.as_owner.value(
        "SELECT concat_ws(' ', documents, note, counted_at = statement_timestamp()) FROM kb_rag.status",
        &[],
    );
    assert_eq!(owner, "0 t");
    // The process ends, and the stored statistics are deleted with the base.
    wait_until("no process is left", || workers(&mut base.as_superuser).is_empty());
    let kept = "SELECT count(*) FROM kb_rag.base_statistics";
    assert_eq!(base.as_superuser.value::<i64>(kept, &[]), 1);
    base.as_owner.run("SELECT kb_drop('theirs')");
    assert_eq!(base.as_superuser.value::<i64>(kept, &[]), 0);
}

#[test]
fn a_read_only_transaction_starts_the_count() {
    let mut base = theirs();
    let unseen = "SELECT count(*) FROM kb_rag.base_statistics";
    assert_eq!(base.as_superuser.value::<i64>(unseen, &[]), 0);
    base.as_superuser.run("SET default_transaction_read_only = on");
    wait_until_shown(&mut base.as_superuser, "theirs", &format!("2 2 2 100 t {KEPT} t"));
}

/// No session has to look at the base: a worker requests a count of a base that it has changed.
#[test]
fn a_worker_requests_counts_before_it_exits() {
    let mut base = theirs();
    base.as_owner
        .run("SELECT kb_configure('theirs', embed => 'queued'); SELECT kb_add('theirs', 'A third text.')");
    wait_until("statistics", || {
        base.as_superuser.value(
            "SELECT EXISTS (SELECT FROM kb_rag.base_statistics WHERE embedded = 3 AND indexed = 3)",
            &[],
        )
    });
}

/// Superusers' bases are in every role's circle, so no statistics are stored for them.
#[test]
fn no_statistics_are_stored_for_superusers_bases() {
    let mut base = theirs();
    base.as_superuser.create_base("ours");
    base.as_superuser.run("SELECT kb_add('ours', 'A text.')");
    wait_until_shown(&mut base.as_superuser, "theirs", &format!("2 2 2 100 t {KEPT} t"));
    let kept: Vec<String> = base.as_superuser.column(
        "SELECT k.name FROM kb_rag.base_statistics s JOIN kb_rag.knowledge_base k ON k.id = s.knowledge_base_id",
        &[],
    );
    assert_eq!(kept, ["theirs"]);
}

/// Stored statistics count all rows, including those that policies hide.
#[test]
fn row_security_hides_kept_statistics() {
    let mut base = theirs();
    let reader = base.database.create_role("reader");
    base.as_owner.run("SELECT kb_grant('theirs', 'public', 'read')");
    let mut as_reader = base.database.connect_as(&reader);
    wait_until_shown(&mut as_reader, "theirs", &format!("2 2 2 100 t {KEPT} t"));
    base.as_owner.run("ALTER TABLE kb_theirs.document ENABLE ROW LEVEL SECURITY");
    assert_eq!(shown(&mut as_reader, "theirs"), "- - - - hidden by row security");
    assert_eq!(shown(&mut base.as_superuser, "theirs"), format!("2 2 2 100 t {KEPT} t"));
}

/// A locked base shows the previous count.
#[test]
fn a_locked_base_shows_what_is_kept() {
    let mut base = theirs();
    wait_until_shown(&mut base.as_superuser, "theirs", &format!("2 2 2 100 t {KEPT} t"));
    let owner: String = base.as_owner.value("SELECT current_user::text", &[]);
    base.as_superuser.run(&format!("GRANT {owner} TO postgres"));
    assert_eq!(shown(&mut base.as_superuser, "theirs"), "2 2 2 100 t f");
    base.as_owner.run("BEGIN; SELECT kb_add('theirs', 'A third text.'); LOCK TABLE kb_theirs.chunk");
    assert_eq!(shown(&mut base.as_superuser, "theirs"), "2 2 2 100 t locked by another transaction t");
    base.as_owner.run("COMMIT");
    assert_eq!(shown(&mut base.as_superuser, "theirs"), "3 3 3 100 t f");
}

/// A base that cannot be counted does not prevent the count of others, and the reason is shown.
#[test]
fn a_base_that_cannot_be_counted_delays_no_other() {
    let mut base = theirs();
    for name in ["broken", "locked", "other"] {
        base.as_owner.create_base(name);
        base.as_owner.run(&format!("SELECT kb_add('{name}', 'A text.')"));
    }
    base.as_owner.run(
        "CREATE FUNCTION kb_broken.fail(text) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
         BEGIN
             IF current_setting('application_name') <> 'owner' THEN RAISE EXCEPTION 'not for you'; END IF;
             RETURN 1;
         END $$;
         SET application_name = 'owner';
         CREATE INDEX ON kb_broken.document ((kb_broken.fail('x')))",
    );
    flush(&mut base.as_owner);
    let owner: String = base.as_owner.value("SELECT current_user::text", &[]);
    let mut holder = base.database.connect_as(&owner);
    holder.run("BEGIN; LOCK TABLE kb_locked.chunk");
    for name in ["other", "theirs"] {
        let count = if name == "other" { "1 1 1" } else { "2 2 2" };
        wait_until_shown(&mut base.as_superuser, name, &format!("{count} 100 t {KEPT} t"));
    }
    let paused = "SELECT paused LIKE 'statistics for % s: not for you' FROM kb_rag.status WHERE knowledge_base = 'broken'";
    wait_until("the pause of the base that fails", || {
        base.as_superuser.value::<Option<bool>>(paused, &[]) == Some(true)
    });
    for name in ["broken", "locked"] {
        assert_eq!(shown(&mut base.as_superuser, name), format!("- - - - {KEPT}"));
    }
    holder.run("ROLLBACK");
    wait_until_shown(&mut base.as_superuser, "locked", &format!("1 1 1 100 t {KEPT} t"));
    // A repaired base is counted again, after the pause or at once.
    base.as_owner.run("DROP INDEX kb_broken.document_fail_idx; SELECT kb_retry('broken')");
    wait_until_shown(&mut base.as_superuser, "broken", &format!("1 1 1 100 t {KEPT} t"));
}

/// An owner's code that does not end, even when canceled, prevents no other base's count and occupies no
/// worker, and is only run again after a pause.
#[test]
fn counting_has_a_time_limit() {
    let mut base = theirs();
    base.as_superuser.run(&format!(
        "ALTER DATABASE {} SET kb_rag.worker_statement_timeout = '200 ms'",
        base.database.name()
    ));
    for (name, code) in [
        ("sleeping", "PERFORM pg_sleep(3600)"),
        (
            "stubborn",
            "LOOP BEGIN PERFORM pg_sleep(3600); EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP",
        ),
        ("other", "NULL"),
    ] {
        base.as_owner.create_base(name);
        base.as_owner.run(&format!(
            "SELECT kb_add('{name}', 'A text.');
             CREATE FUNCTION kb_{name}.code(text) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
             BEGIN
                 IF current_setting('application_name') <> 'owner' THEN {code}; END IF;
                 RETURN 1;
             END $$;
             SET application_name = 'owner';
             CREATE INDEX ON kb_{name}.document ((kb_{name}.code('x')))"
        ));
    }
    flush(&mut base.as_owner);
    // A new session, in which the database's setting applies.
    let mut client = base.database.connect();
    for (name, count) in [("theirs", "2 2 2"), ("other", "1 1 1")] {
        wait_until_shown(&mut client, name, &format!("{count} 100 t {KEPT} t"));
    }
    for (name, end) in [("sleeping", ""), ("stubborn", ", and did not end when it was canceled")] {
        let reason = format!("ran longer than kb_rag.worker_statement_timeout (0.2 s){end}");
        wait_until(&format!("{name} is paused"), || {
            shown(&mut client, name);
            client.value(
                "SELECT EXISTS (SELECT FROM kb_rag.status WHERE knowledge_base = $1
                     AND paused LIKE 'statistics for % s: %' AND right(paused, length($2)) = $2)",
                &[&name, &reason],
            )
        });
        assert_eq!(shown(&mut client, name), format!("- - - - {KEPT}"));
    }
    wait_until("no process is left", || workers(&mut client).is_empty());
    // Only the statistics are paused: documents of such a base are indexed.
    base.as_owner
        .run("SELECT kb_configure('other', embed => 'queued'); SELECT kb_add('other', 'Another text.')");
    wait_until("the vector", || client.value("SELECT count(*) = 2 FROM kb_other.embedding", &[]));
}

#[test]
fn a_standby_shows_what_its_primary_has_counted() {
    let primary = Server::start();
    let mut client = primary.connect();
    client.run(
        "CREATE EXTENSION kb_rag CASCADE; CREATE ROLE owner LOGIN; GRANT CREATE ON DATABASE postgres TO owner;
         SELECT kb_grant_admin('owner'); SET ROLE owner",
    );
    client.create_base("theirs");
    client.run("SELECT kb_add('theirs', 'One text.'); RESET ROLE");
    flush(&mut client);
    wait_until_shown(&mut client, "theirs", &format!("1 1 1 100 t {KEPT} t"));
    wait_until("no process is left", || workers(&mut client).is_empty());
    let standby = primary.standby();
    standby.catch_up(&primary);
    let mut copy = standby.connect();
    for _ in 0..3 {
        assert_eq!(shown(&mut copy, "theirs"), format!("1 1 1 100 t {KEPT} t"));
    }
    assert!(workers(&mut copy).is_empty());
}
