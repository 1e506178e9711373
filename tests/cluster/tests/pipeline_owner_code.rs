//! An owner's code has limited time in a worker and in CALL kb_work() of another role. Exceeding it pauses
//! the owner's own base, and delays others by a moment at most.

use std::time::{Duration, Instant};

use kb_rag_cluster_tests::mock::Mock;
use kb_rag_cluster_tests::pipeline::{RemoteSession, wait_until_idle, workers};
use kb_rag_cluster_tests::{Database, Session, sqlstate, wait_until, wait_until_active};
use postgres::Client;

/// Occupies a worker for good.
const SLEEPING_TRIGGER: &str = "
    CREATE FUNCTION {schema}.trap() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_catalog.pg_sleep(3600); RETURN NULL; END $$;
    CREATE TRIGGER trap AFTER INSERT ON {schema}.embedding FOR EACH ROW EXECUTE FUNCTION {schema}.trap()";
const SLEEPING_INDEX: &str = "
    CREATE FUNCTION {schema}.trap(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN $1; END $$;
    CREATE INDEX ON {schema}.document (({schema}.trap('x')));
    CREATE OR REPLACE FUNCTION {schema}.trap(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS
        $$ BEGIN PERFORM pg_catalog.pg_sleep(3600); RETURN $1; END $$";
const TRAPPING_TRIGGER: &str = "
    CREATE FUNCTION {schema}.trap() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            LOOP
                BEGIN PERFORM pg_catalog.pg_sleep(3600); EXCEPTION WHEN query_canceled THEN NULL; END;
            END LOOP;
        END $$;
    CREATE TRIGGER trap AFTER INSERT ON {schema}.embedding FOR EACH ROW EXECUTE FUNCTION {schema}.trap()";

/// A database with these settings for its sessions and workers.
fn database_with(settings: &[&str]) -> Database {
    let database = Database::create();
    for setting in settings {
        database.connect().run(&format!("ALTER DATABASE {} SET {setting}", database.name()));
    }
    database
}

/// A base whose documents wait for a worker.
fn queued_base(owner: &mut Client, name: &str) {
    owner.run(&format!(
        "SELECT kb_create('{name}', model => 'fake/test', dimensions => 8, embed => 'queued')"
    ));
}

/// A base with a trap, and a document that waits for its vector from a worker. Both come in one transaction: a worker that
/// is there already may embed the document before the trap exists.
fn hostile_base(owner: &mut Client, name: &str, trap: &str) {
    queued_base(owner, name);
    let trap = trap.replace("{schema}", &format!("kb_{name}"));
    owner.run(&format!("INSERT INTO kb_{name}.document (content) VALUES ('A text in a trap.'); {trap}"));
}

/// The number of paused bases whose names begin with `prefix`: on a loaded machine a sound base may be paused
/// as well.
fn paused(client: &mut Client, prefix: &str) -> i64 {
    client.value(
        "SELECT count(*) FROM kb_rag.pause p JOIN kb_rag.knowledge_base k ON k.id = p.knowledge_base_id
         WHERE p.kind IS NULL AND p.exceeded AND starts_with(k.name, $1)",
        &[&prefix],
    )
}

/// Inserts a document and waits until it is indexed.
fn index_one(owner: &mut Client, name: &str) {
    owner.run(&format!("INSERT INTO kb_{name}.document (content) VALUES ('A text of somebody else.')"));
    wait_until("the document of another owner", || {
        owner.value(&format!("SELECT bool_and(status = 'indexed') FROM kb_{name}.document"), &[])
    });
}

fn assert_sleeps(client: &mut Client) {
    wait_until("a worker in the trap", || is_sleeping(client));
}

fn is_sleeping(client: &mut Client) -> bool {
    client.value(
        "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database()
             AND backend_type LIKE 'kb_rag%' AND wait_event = 'PgSleep')",
        &[],
    )
}

/// No limit ends the trap during the test: one worker stays free for others.
fn assert_one_role_delays_no_other(trap: &str) {
    let database = database_with(&["kb_rag.workers = 0", "kb_rag.worker_statement_timeout = '1 h'"]);
    let mut superuser = database.connect();
    let (hostile, victim) = (database.create_owner("hostile"), database.create_owner("victim"));
    let mut as_hostile = database.connect_as(&hostile);
    for number in 0..10 {
        hostile_base(&mut as_hostile, &format!("trap{number}"), trap);
    }
    let mut as_victim = database.connect_as(&victim);
    queued_base(&mut as_victim, "victim");
    superuser.run(&format!("ALTER DATABASE {} RESET kb_rag.workers", database.name()));
    let mut as_victim = database.connect_as(&victim);
    let mut superuser = database.connect();
    superuser.run("SELECT count(*) FROM kb_list()");
    assert_sleeps(&mut superuser);
    index_one(&mut as_victim, "victim");
    assert_sleeps(&mut superuser);
}

#[test]
fn ten_bases_of_one_role_delay_no_other() {
    assert_one_role_delays_no_other(SLEEPING_TRIGGER);
}

#[test]
fn ten_bases_with_sleeping_indexes_delay_no_other() {
    assert_one_role_delays_no_other(SLEEPING_INDEX);
}

#[test]
fn bases_of_ten_roles_delay_no_other_once_each_was_paused() {
    let database = database_with(&["kb_rag.worker_statement_timeout = '200 ms'"]);
    let mut superuser = database.connect();
    let start = superuser.server_start();
    let mut hostile: Vec<Client> =
        (0..10).map(|_| database.connect_as(&database.create_owner("hostile"))).collect();
    for (number, owner) in hostile.iter_mut().enumerate() {
        let trap = [SLEEPING_TRIGGER, SLEEPING_INDEX, TRAPPING_TRIGGER][number % 3];
        hostile_base(owner, &format!("trap{number}"), trap);
    }
    wait_until("ten paused bases", || {
        superuser.run("SELECT count(*) FROM kb_list()");
        paused(&mut superuser, "trap") == 10
    });
    let victim = database.create_owner("victim");
    let mut as_victim = database.connect_as(&victim);
    queued_base(&mut as_victim, "victim");
    index_one(&mut as_victim, "victim");
    assert_eq!(paused(&mut superuser, "trap"), 10);

    // On probation, they share one worker, whatever their pauses say. In new workers no limit ends the trap during the test.
    database.set("kb_rag.worker_statement_timeout", "1 h");
    superuser.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND backend_type LIKE 'kb_rag%'");
    wait_until("no worker", || workers(&mut superuser).is_empty());
    superuser.run(
        "UPDATE kb_rag.pause SET until = clock_timestamp(); UPDATE kb_rag.job SET due_at = clock_timestamp() WHERE worker IS NULL",
    );
    wait_until("a worker in a trap", || {
        superuser.run("SELECT count(*) FROM kb_list()");
        is_sleeping(&mut superuser)
    });
    index_one(&mut as_victim, "victim");
    assert!(is_sleeping(&mut superuser));
    assert_eq!(superuser.server_start(), start, "the server crashed");
}

#[test]
fn only_a_base_that_exceeds_the_limit_is_paused_with_a_reason() {
    let database = database_with(&["kb_rag.worker_statement_timeout = '1 s'", "kb_rag.workers = 1"]);
    let owner = database.create_owner("owner");
    let (mut superuser, mut client) = (database.connect(), database.connect_as(&owner));
    queued_base(&mut client, "sound");
    for (name, trap, reason) in [
        ("slow", SLEEPING_TRIGGER, "ran longer than kb_rag.worker_statement_timeout (1 s)"),
        ("stubborn", TRAPPING_TRIGGER, "and did not end when it was canceled"),
    ] {
        hostile_base(&mut client, name, trap);
        wait_until("a paused base", || {
            client.run("SELECT count(*) FROM kb_list()");
            paused(&mut superuser, name) == 1
        });
        let said: String =
            client.value("SELECT paused FROM kb_rag.status WHERE knowledge_base = $1", &[&name]);
        assert!(said.starts_with("all work for ") && said.contains(reason), "{said}");
        // With one worker, and with bases of the same owner: the limit bounds the delay.
        index_one(&mut client, "sound");
        let others: i64 = client.value(
            "SELECT count(*) FROM kb_rag.status WHERE paused IS NOT NULL AND knowledge_base <> $1",
            &[&name],
        );
        assert_eq!(others, 0, "other bases are paused");
        let (attempts, failed): (i32, bool) = {
            let row = superuser
                .query_one("SELECT attempts, failed FROM kb_rag.job j JOIN kb_rag.knowledge_base k ON k.id = knowledge_base_id AND name = $1", &[&name])
                .unwrap();
            (row.get(0), row.get(1))
        };
        assert_eq!((attempts, failed), (1, false), "an attempt counts");
        client.run(&format!("DROP FUNCTION kb_{name}.trap() CASCADE; SELECT kb_retry('{name}')"));
        wait_until_idle(&mut superuser);
        assert_eq!(paused(&mut superuser, name), 0);
        client.run(&format!("SELECT kb_drop('{name}')"));
    }
}

/// A worker that ends is replaced by another.
#[test]
fn a_worker_that_ends_is_replaced() {
    let database = database_with(&["kb_rag.worker_statement_timeout = '100 ms'", "kb_rag.workers = 1"]);
    let owner = database.create_owner("owner");
    let mut client = database.connect_as(&owner);
    queued_base(&mut client, "sound");
    hostile_base(&mut client, "stubborn", TRAPPING_TRIGGER);
    assert_sleeps(&mut database.connect());
    // Queued while the only worker is trapped: no session wakes another one.
    client.run("INSERT INTO kb_sound.document (content) VALUES ('A text.')");
    wait_until("the other base", || {
        client.value("SELECT bool_and(status = 'indexed') FROM kb_sound.document", &[])
    });
}

#[test]
fn kb_work_of_another_role_continues_after_the_limit() {
    let database = database_with(&["kb_rag.worker_statement_timeout = '1 s'", "kb_rag.workers = 0"]);
    let owner = database.create_owner("owner");
    let mut as_owner = database.connect_as(&owner);
    hostile_base(&mut as_owner, "slow", SLEEPING_TRIGGER);
    let (mut superuser, notices) = database.connect_listening("postgres");
    queued_base(&mut superuser, "sound");
    superuser
        .run("INSERT INTO kb_sound.document (content) VALUES ('A text.'); SET statement_timeout = '20 s'");
    superuser.run("CALL kb_work(3)");
    assert!(
        notices.take().iter().any(|notice| notice.contains("kb_rag.worker_statement_timeout")),
        "no warning of the limit"
    );
    assert_eq!(superuser.value::<String>("SELECT status FROM kb_sound.document", &[]), "indexed");
    assert_eq!(superuser.value::<String>("SHOW statement_timeout", &[]), "20s");
    assert_eq!(paused(&mut superuser, "slow"), 1);

    // The session's own timeout still ends its statement.
    superuser.run("SET statement_timeout = '300 ms'");
    assert_eq!(superuser.state_of("SELECT pg_sleep(5)", &[]), "57014");

    // Code that does not end when canceled ends the session, and pauses the base.
    as_owner
        .run("DROP TRIGGER trap ON kb_slow.embedding; DROP FUNCTION kb_slow.trap(); SELECT kb_retry('slow')");
    as_owner.run(&TRAPPING_TRIGGER.replace("{schema}", "kb_slow"));
    superuser.run("RESET statement_timeout");
    let result = superuser.batch_execute("CALL kb_work(1)");
    // The driver may see the end of the connection before the message.
    assert!(["57P01", "08006"].contains(&sqlstate(&result).as_str()), "{result:?}");
    // The session pauses the base after it has sent its last message.
    let mut superuser = database.connect();
    wait_until("a paused base", || paused(&mut superuser, "slow") == 1);
}

/// The owner's own session runs the owner's code without a limit.
#[test]
fn kb_work_of_the_owner_has_no_limit() {
    let database = database_with(&["kb_rag.worker_statement_timeout = '50 ms'", "kb_rag.workers = 0"]);
    let owner = database.create_owner("owner");
    let mut client = database.connect_as(&owner);
    hostile_base(&mut client, "slow", &SLEEPING_TRIGGER.replace("3600", "0.3"));
    client.run("CALL kb_work(1)");
    assert_eq!(client.value::<String>("SELECT status FROM kb_slow.document", &[]), "indexed");
}

/// When transaction_timeout expires, the session ends: an owner's code must not set it in another role's
/// session.
#[test]
fn code_of_an_owner_cannot_end_a_session_by_transaction_timeout() {
    let database = database_with(&["kb_rag.workers = 1"]);
    let mut superuser = database.connect();
    if superuser.value::<i32>("SELECT current_setting('server_version_num')::int", &[]) < 170_000 {
        // This version has no such parameter.
        assert_eq!(superuser.state_of("SHOW transaction_timeout", &[]), "42704");
        return;
    }
    let owner = database.create_owner("owner");
    let mut client = database.connect_as(&owner);
    queued_base(&mut client, "sound");
    hostile_base(
        &mut client,
        "trap",
        "CREATE FUNCTION {schema}.trap() RETURNS trigger LANGUAGE plpgsql AS $$
             BEGIN PERFORM set_config('transaction_timeout', '1', true); PERFORM pg_sleep(0.1); RETURN NULL; END $$;
         CREATE TRIGGER trap AFTER INSERT ON {schema}.embedding FOR EACH ROW EXECUTE FUNCTION {schema}.trap()",
    );
    wait_until("a reason", || {
        client.value(
            "SELECT EXISTS (SELECT FROM kb_rag.failed WHERE reason LIKE '%\"transaction_timeout\" cannot be changed%')",
            &[],
        )
    });
    assert_eq!(workers(&mut superuser).len(), 1);
    superuser.run("UPDATE kb_rag.job SET due_at = now() WHERE worker IS NULL");
    superuser.run("CALL kb_work(0)");
    superuser.run("SET transaction_timeout = '10 s'; RESET transaction_timeout");
    // The owner itself may set it.
    client.run("SET transaction_timeout = '10 s'; RESET transaction_timeout");
}

/// Cancels and terminations by users take effect at once on code under the limit.
#[test]
fn a_cancel_reaches_code_of_an_owner_within_the_limit() {
    let database = database_with(&["kb_rag.workers = 0"]);
    let owner = database.create_owner("owner");
    let mut as_owner = database.connect_as(&owner);
    hostile_base(&mut as_owner, "slow", SLEEPING_TRIGGER);
    let mut observer = database.connect();
    let mut caller = database.connect();
    let pid = caller.pid();
    let call = std::thread::spawn(move || (sqlstate(&caller.batch_execute("CALL kb_work(60)")), caller));
    wait_until_active(&mut observer, pid, "CALL");
    wait_until("the trap", || {
        observer.value(
            "SELECT coalesce(wait_event = 'PgSleep', false) FROM pg_stat_activity WHERE pid = $1",
            &[&pid],
        )
    });
    kb_rag_cluster_tests::cancel(&mut observer, pid);
    let (state, mut caller) = call.join().unwrap();
    assert_eq!(state, "57014");
    assert_eq!(paused(&mut caller, "slow"), 0, "a cancel is not the owner's fault");
}

/// Work of many steps is limited per step: a change of model replaces chunks, which takes longer than the limit.
#[test]
fn a_long_change_of_model_is_not_cut_short() {
    let database = database_with(&["kb_rag.workers = 0", "kb_rag.worker_statement_timeout = '500 ms'"]);
    let owner = database.create_owner("owner");
    let mock = Mock::openai();
    let mut superuser = database.connect();
    superuser.set_provider("mock", &mock);
    superuser.run(&format!("SELECT kb_provider_grant('mock', '{owner}')"));
    let mut client = database.connect_as(&owner);
    client.run(
        "SELECT kb_create('slow', embed => 'queued', chunk_size => 4000, chunk_overlap => 0, chunk_strategy => 'text');
         INSERT INTO kb_slow.document (content)
             SELECT string_agg('word' || n || ' number ' || w || '.', ' ') FROM generate_series(1, 150) n, generate_series(1, 60) w
             GROUP BY n",
    );
    // Three groups of documents, each of which has other chunks; inserting them takes half of the limit.
    superuser.run("DELETE FROM kb_rag.job");
    client.run(
        "SELECT kb_configure('slow', model => 'mock/small', dimensions => 8);
         CREATE FUNCTION kb_slow.slow() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN PERFORM pg_catalog.pg_sleep(0.25); RETURN NULL; END $$;
         CREATE TRIGGER slow BEFORE INSERT ON kb_slow.chunk FOR EACH STATEMENT EXECUTE FUNCTION kb_slow.slow()",
    );
    let began = Instant::now();
    superuser.run("CALL kb_work(60)");
    let model: String = client.value("SELECT model FROM kb_list()", &[]);
    assert_eq!((model.as_str(), paused(&mut superuser, "slow")), ("mock/small", 0));
    assert!(began.elapsed() > Duration::from_millis(700), "the triggers did not run");
}
