//! A fault in one base does not affect the others, in a worker and in CALL kb_work().

use kb_rag_cluster_tests::mock::{DIMENSIONS, Reply};
use kb_rag_cluster_tests::pipeline::{
    Remote, RemoteSession, assert_embedded, remote_server, wait_until_idle, without_vector,
};
use kb_rag_cluster_tests::{Session, wait_until};
use postgres::Client;

fn paused(client: &mut Client, name: &str) -> Option<String> {
    client.value("SELECT paused FROM kb_rag.status WHERE knowledge_base = $1", &[&name])
}

/// Why a base whose tables are altered is paused. kb_rag.status does not show such a base.
fn pause_reason(client: &mut Client, name: &str) -> Option<String> {
    client.value(
        "SELECT max(p.reason) FROM kb_rag.pause p JOIN kb_rag.knowledge_base k ON k.id = p.knowledge_base_id
         WHERE p.kind = 'embed' AND k.name = $1",
        &[&name],
    )
}

/// A base with a document whose chunks cannot be read.
fn spoiled_base(client: &mut Client, name: &str) {
    client.create_remote_base(name, "mock/small");
    client.run(&format!(
        "BEGIN;
         SELECT kb_add('{name}', 'A text that nobody can read.');
         ALTER TABLE kb_{name}.chunk RENAME COLUMN content TO moved;
         COMMIT"
    ));
}

fn repair(client: &mut Client, name: &str) {
    client.run(&format!(
        "ALTER TABLE kb_{name}.chunk RENAME COLUMN moved TO content; SELECT kb_retry('{name}')"
    ));
}

#[test]
fn a_worker_pauses_a_base_that_cannot_be_read() {
    let mut remote = Remote::start();
    spoiled_base(&mut remote.client, "theirs");
    wait_until("a reason that can be seen", || {
        pause_reason(&mut remote.client, "theirs").is_some_and(|reason| reason.contains("content"))
    });
    remote.client.insert_notes(1, 5);
    wait_until("the other base's vectors", || without_vector(&mut remote.client, "kb_notes") == 0);
    repair(&mut remote.client, "theirs");
    remote.finish();
    assert_embedded(&mut remote.client, "kb_theirs", &remote.mock);
    assert_eq!(paused(&mut remote.client, "theirs"), None);
    remote.client.run("SELECT kb_drop('theirs')");
    let left: i64 = remote.client.value("SELECT count(*) FROM kb_rag.pause", &[]);
    assert_eq!(left, 0, "pauses of a dropped base");
}

/// One base whose chunks cannot be read, one whose vectors cannot be written, and one in order.
#[test]
fn kb_work_continues_with_the_next_base() {
    let (server, mock) = remote_server(&["-c", "kb_rag.workers=0"]);
    let mut client = server.connect();
    spoiled_base(&mut client, "unreadable");
    client.create_remote_base("trapped", "mock/small");
    client.run(
        "CREATE FUNCTION trap() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM 1 / 0; RETURN NULL; END $$;
         CREATE TRIGGER trap AFTER INSERT ON kb_trapped.embedding FOR EACH ROW EXECUTE FUNCTION trap();
         SELECT kb_add('trapped', 'A text in a trap.')",
    );
    client.insert_notes(1, 25);

    client.run("CALL kb_work(10)");
    assert_embedded(&mut client, "kb_notes", &mock);
    let reason = pause_reason(&mut client, "unreadable").expect("a reason");
    assert!(reason.contains("content"), "{reason}");
    let reason: String =
        client.value("SELECT reason FROM kb_rag.failed WHERE knowledge_base = 'trapped'", &[]);
    assert_eq!(reason, "division by zero");
    let claimed: i64 = client.value("SELECT count(*) FROM kb_rag.job WHERE worker IS NOT NULL", &[]);
    assert_eq!(claimed, 0, "jobs that are still claimed");

    client.run("DROP TRIGGER trap ON kb_trapped.embedding; SELECT kb_retry('trapped')");
    repair(&mut client, "unreadable");
    client.run("CALL kb_work(10)");
    for name in ["trapped", "unreadable"] {
        assert_embedded(&mut client, &format!("kb_{name}"), &mock);
    }
}

/// A view blocks the vectors of one base; another base with the same model must not wait for that.
#[test]
fn a_model_change_blocked_in_one_base_does_not_delay_another() {
    let mut remote = Remote::start();
    remote.client.create_remote_base("theirs", "mock/other");
    remote.client.run("SELECT kb_add('theirs', 'A text.')");
    wait_until_idle(&mut remote.client);
    remote.client.run("CREATE VIEW held AS SELECT * FROM kb_theirs.embedding");
    remote
        .client
        .run(&format!("SELECT kb_configure('theirs', model => 'mock/small', dimensions => {DIMENSIONS})"));
    wait_until("a reason that can be seen", || {
        paused(&mut remote.client, "theirs").is_some_and(|reason| reason.starts_with("change for"))
    });
    assert_eq!(paused(&mut remote.client, "notes"), None);
    remote.client.insert_notes(1, 5);
    wait_until("the other base's vectors", || without_vector(&mut remote.client, "kb_notes") == 0);
    remote.client.run("DROP VIEW held; SELECT kb_retry('theirs')");
    wait_until("the new model", || {
        remote
            .client
            .value("SELECT model = 'mock/small' FROM kb_rag.status WHERE knowledge_base = 'theirs'", &[])
    });
    remote.finish();
    assert_embedded(&mut remote.client, "kb_theirs", &remote.mock);
}

/// Only the base that was made for other dimensions is paused.
#[test]
fn a_base_with_other_dimensions_does_not_delay_its_model() {
    let mut remote = Remote::start();
    remote.mock.always(Reply::changed(|vectors| vectors.iter_mut().for_each(|e| e.vector.push(0.5))));
    remote.client.run(
        "SELECT kb_create('theirs', model => 'mock/small', dimensions => 8);
         SELECT kb_create('ours', model => 'mock/small', dimensions => 9)",
    );
    for n in 1..=5 {
        remote.client.run(&format!("SELECT kb_add('theirs', 'A text that is too long, {n}.')"));
        wait_until("a reason that can be seen", || {
            paused(&mut remote.client, "theirs").is_some_and(|reason| reason.contains("9 dimensions"))
                || remote.client.value(
                    "SELECT EXISTS (SELECT FROM kb_rag.failed WHERE knowledge_base = 'theirs' AND reason LIKE '%9 dimensions%')",
                    &[],
                )
        });
        assert_eq!(paused(&mut remote.client, "ours"), None);
        remote.client.run(&format!("SELECT kb_add('ours', 'A text that fits, {n}.')"));
        wait_until("the other base's vector", || without_vector(&mut remote.client, "kb_ours") == 0);
    }
}
