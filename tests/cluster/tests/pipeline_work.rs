//! CALL kb_work(): whose documents it embeds.

use kb_rag_cluster_tests::mock::{Gate, Reply};
use kb_rag_cluster_tests::pipeline::{
    Remote, RemoteSession, assert_embedded, wait_until_no_worker, without_vector,
};
use kb_rag_cluster_tests::{Database, Outcome, Point, Session, cancel, sqlstate, wait_until};
use postgres::Client;

/// A base owned by its own role, with ten documents that wait.
fn owned_base(superuser: &mut Client, database: &Database, name: &str) -> Client {
    let owner = database.create_owner(name);
    superuser.run(&format!("SELECT kb_provider_grant('mock', '{owner}')"));
    let mut client = database.connect_as(&owner);
    client.create_remote_base(name, "mock/small");
    client.run(&format!(
        "INSERT INTO kb_{name}.document (content) SELECT 'Text ' || n || ' of {name}' FROM generate_series(1, 10) n"
    ));
    client
}

/// The contents of the queue, without columns that change by themselves.
fn jobs(client: &mut Client) -> Vec<String> {
    client.column(
        "SELECT concat_ws(' ', target, attempts, due_at, worker, failed, error) FROM kb_rag.job ORDER BY target",
        &[],
    )
}

#[test]
fn kb_work_embeds_for_the_bases_that_its_caller_administers() {
    let Remote { mut client, mock, database } = Remote::start();
    client.run(&format!("ALTER DATABASE {} SET kb_rag.workers = 0", database.name()));
    let mut client = {
        wait_until_no_worker(&mut client);
        database.connect()
    };
    client.insert_notes(1, 10);
    let mut as_first = owned_base(&mut client, &database, "first");
    let mut as_second = owned_base(&mut client, &database, "second");
    let stranger = database.create_role("stranger");
    let reader = database.create_role("reader");
    let helper = database.create_role("helper");
    client.run(&format!(
        "SELECT kb_grant('first', '{reader}', 'write'); SELECT kb_grant('second', '{helper}', 'admin')"
    ));
    let waiting = |client: &mut Client| {
        ["kb_first", "kb_second", "kb_notes"].map(|schema| without_vector(client, schema))
    };

    // A role that administers no base, even if it may write, changes nothing.
    let before = jobs(&mut client);
    assert_eq!(before.len(), 30);
    for role in [&stranger, &reader] {
        let result = database.connect_as(role).batch_execute("CALL kb_work(5)");
        assert_eq!(sqlstate(&result), "00000", "{result:?}");
        assert!(mock.calls().is_empty(), "{role} called the provider");
        assert_eq!(jobs(&mut client), before, "{role} touched the queue");
    }

    // The owner of one of the bases, then a role that was granted administration of another.
    as_first.run("CALL kb_work(60)");
    assert_eq!(waiting(&mut client), [0, 10, 10]);
    assert!(mock.calls().iter().flat_map(|call| &call.texts).all(|text| text.ends_with("of first")));
    database.connect_as(&helper).run("CALL kb_work(60)");
    assert_eq!(waiting(&mut client), [0, 0, 10]);
    assert_eq!(jobs(&mut client).len(), 10);

    // Nothing is left for the owner once others have embedded it; a superuser administers every base.
    let calls = mock.calls().len();
    as_second.run("CALL kb_work(5)");
    assert_eq!(mock.calls().len(), calls);
    client.run("CALL kb_work(60)");
    for schema in ["kb_first", "kb_second", "kb_notes"] {
        assert_embedded(&mut client, schema, &mock);
    }
}

/// The claim of a canceled call is freed by others, but not what the same session has claimed in the meantime: that is being
/// sent.
#[test]
fn a_claim_is_freed_only_if_it_is_still_the_one_that_was_seen() {
    let Remote { mut client, mock, database } = Remote::start();
    database.set("kb_rag.workers", "0");
    wait_until_no_worker(&mut client);
    let gate = Gate::new();
    mock.always(Reply::right().held(&gate));
    let (mut first, mut other) = (database.connect(), database.connect());
    client.insert_notes(1, 10);

    let pid = first.pid();
    let canceled = Outcome::spawn(first, "CALL kb_work(0)");
    mock.wait_for_calls(1);
    cancel(&mut client, pid);
    let canceled = canceled.join().unwrap();
    assert_eq!(canceled.state, "57014");
    let claims = |client: &mut Client| -> i64 {
        client.value("SELECT count(*) FROM kb_rag.job WHERE worker = $1", &[&pid])
    };
    assert_eq!(claims(&mut client), 10, "claims of a session without a call");

    let mut seen = Point::hold_by(database.connect(), "orphans.seen");
    other.run(&seen.setting());
    let freeing = Outcome::spawn(other, "CALL kb_work(0)");
    seen.wait_for(1);
    let sending = Outcome::spawn(canceled.client, "CALL kb_work(0)");
    mock.wait_for_calls(2);
    seen.release();
    wait_until("the end of the other call", || freeing.is_finished() || mock.calls().len() > 2);
    assert_eq!(mock.calls().len(), 2, "the same texts are sent twice at the same time");
    assert_eq!(claims(&mut client), 10);
    gate.open();
    assert_eq!(sending.join().unwrap().state, "00000");
    assert_eq!(freeing.join().unwrap().state, "00000");
    assert_embedded(&mut client, "kb_notes", &mock);
}
