//! Malicious code of an owner, placed on the owner's base, runs as that owner whatever a worker does. An
//! attack on a worker costs only the owner's own vectors.

use kb_rag_cluster_tests::mock::Reply;
use kb_rag_cluster_tests::pipeline::{
    Remote, RemoteSession, assert_embedded, wait_until_idle, without_vector,
};
use kb_rag_cluster_tests::{Session, Trap, wait_until};
use postgres::Client;

/// A base of a role that is not a superuser, with a provider that the role may use, and a witness table that
/// records which role runs what.
fn owned_base() -> (Remote, String, Client) {
    let mut remote = Remote::start();
    let owner = remote.database.create_owner("owner");
    remote.client.run(&format!("SELECT kb_provider_grant('mock', '{owner}')"));
    let mut as_owner = remote.database.connect_as(&owner);
    as_owner.create_remote_base("theirs", "mock/small");
    as_owner.run(
        "CREATE TABLE kb_theirs.witness (who text, session text, at text);
         CREATE FUNCTION kb_theirs.spy() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN
             INSERT INTO kb_theirs.witness VALUES (current_user, session_user, TG_TABLE_NAME || ' ' || TG_OP);
             IF TG_LEVEL = 'ROW' THEN RETURN coalesce(NEW, OLD); END IF;
             RETURN NULL;
         END $$;
         CREATE FUNCTION kb_theirs.note(at text) RETURNS boolean LANGUAGE plpgsql AS $$
         BEGIN INSERT INTO kb_theirs.witness VALUES (current_user, session_user, at); RETURN true; END $$",
    );
    (remote, owner, as_owner)
}

fn assert_only_the_owner_ran(as_owner: &mut Client, owner: &str, places: &[&str]) {
    let users: Vec<String> = as_owner.column("SELECT DISTINCT who FROM kb_theirs.witness", &[]);
    assert_eq!(users, [owner]);
    for place in places {
        let seen: bool =
            as_owner.value("SELECT EXISTS (SELECT FROM kb_theirs.witness WHERE at = $1)", &[place]);
        assert!(seen, "{place} was not watched");
    }
}

#[test]
fn triggers_of_an_owner_run_as_the_owner_in_a_worker() {
    let (mut remote, owner, mut as_owner) = owned_base();
    for table in ["document", "chunk", "embedding"] {
        for (time, level) in [("BEFORE", "ROW"), ("AFTER", "ROW"), ("AFTER", "STATEMENT")] {
            as_owner.run(&format!(
                "CREATE TRIGGER spy_{time}_{level} {time} INSERT OR UPDATE OR DELETE ON kb_theirs.{table}
                 FOR EACH {level} EXECUTE FUNCTION kb_theirs.spy()"
            ));
        }
    }
    as_owner.run(
        "ALTER TABLE kb_theirs.embedding ADD COLUMN planted boolean DEFAULT kb_theirs.note('default');
         ALTER TABLE kb_theirs.embedding ADD CHECK (kb_theirs.note('check'));
         TRUNCATE kb_theirs.witness",
    );
    // The owner's own session runs the triggers on the document as the owner; only the worker is tested.
    as_owner.run("SELECT kb_add('theirs', 'A text.'); TRUNCATE kb_theirs.witness");
    wait_until_idle(&mut remote.client);
    assert_embedded(&mut remote.client, "kb_theirs", &remote.mock);
    assert_only_the_owner_ran(
        &mut as_owner,
        &owner,
        &["embedding INSERT", "document UPDATE", "default", "check"],
    );
}

#[test]
fn traps_of_an_owner_only_cost_the_owners_vectors() {
    let (mut remote, owner, mut as_owner) = owned_base();
    let role = "cannot set parameter \"role\" within security-definer function";
    let alter = format!("ALTER ROLE {owner} SUPERUSER");
    // This message depends on the version of PostgreSQL.
    let refusal = as_owner.batch_execute(&alter).unwrap_err();
    let refusal = refusal.as_db_error().unwrap().message();
    for (trap, expected) in [
        ("SET ROLE NONE", role),
        (
            "SET SESSION AUTHORIZATION DEFAULT",
            "cannot set parameter \"session_authorization\" within security-definer function",
        ),
        ("PERFORM set_config('role', 'none', false)", role),
        ("PERFORM pg_read_file('PG_VERSION')", "permission denied for function pg_read_file"),
        (&alter, refusal),
        (
            "EXECUTE 'CREATE TEMP TABLE trap (id int)'",
            "cannot create temporary table within security-restricted operation",
        ),
        ("PERFORM 1 / 0", "division by zero"),
    ] {
        as_owner.run(&format!(
            "CREATE OR REPLACE FUNCTION kb_theirs.trap() RETURNS trigger LANGUAGE plpgsql AS $$
             BEGIN {trap}; RETURN NULL; END $$;
             CREATE TRIGGER trap AFTER INSERT ON kb_theirs.embedding FOR EACH ROW EXECUTE FUNCTION kb_theirs.trap();
             SELECT kb_add('theirs', 'A text in a trap.')"
        ));
        // Another role's base is processed at the same time.
        remote.client.insert_notes(1, 5);
        wait_until("the other base's vectors", || without_vector(&mut remote.client, "kb_notes") == 0);
        let mut reasons: Vec<String> = Vec::new();
        wait_until("a reason that can be seen", || {
            reasons =
                as_owner.column("SELECT reason FROM kb_rag.failed WHERE knowledge_base = 'theirs'", &[]);
            !reasons.is_empty()
        });
        assert_eq!(reasons, [expected], "{trap}");
        assert_eq!(without_vector(&mut remote.client, "kb_theirs"), 1, "{trap}");
        as_owner.run("DROP TRIGGER trap ON kb_theirs.embedding; SELECT kb_retry('theirs')");
        wait_until_idle(&mut remote.client);
        assert_embedded(&mut remote.client, "kb_theirs", &remote.mock);
        remote.client.run("DELETE FROM kb_notes.document; DELETE FROM kb_theirs.document");
    }
    let superuser: bool = as_owner.value("SELECT rolsuper FROM pg_roles WHERE rolname = current_user", &[]);
    assert!(!superuser);
}

/// A constraint trigger deferred to the commit would run outside of the owner's context, as the worker.
/// PostgreSQL refuses it there, which costs the owner the vectors. Fired immediately, it runs as the owner.
#[test]
fn a_deferred_trigger_never_runs_as_the_worker() {
    let (mut remote, owner, mut as_owner) = owned_base();
    as_owner.run(
        "CREATE CONSTRAINT TRIGGER spy AFTER INSERT ON kb_theirs.embedding DEFERRABLE INITIALLY DEFERRED
             FOR EACH ROW EXECUTE FUNCTION kb_theirs.spy();
         GRANT INSERT, SELECT ON kb_theirs.witness TO PUBLIC; GRANT USAGE ON SCHEMA kb_theirs TO PUBLIC;
         SELECT kb_add('theirs', 'A text.')",
    );
    let mut reasons: Vec<String> = Vec::new();
    wait_until("a reason", || {
        reasons = as_owner.column("SELECT reason FROM kb_rag.failed WHERE knowledge_base = 'theirs'", &[]);
        !reasons.is_empty()
    });
    assert_eq!(reasons, ["cannot fire deferred trigger within security-restricted operation"]);
    assert_eq!(without_vector(&mut remote.client, "kb_theirs"), 1);
    let users: Vec<String> = as_owner.column("SELECT who FROM kb_theirs.witness", &[]);
    assert!(users.is_empty(), "a deferred trigger ran as {users:?}");

    as_owner.run(
        "DROP TRIGGER spy ON kb_theirs.embedding;
         CREATE CONSTRAINT TRIGGER spy AFTER INSERT ON kb_theirs.embedding DEFERRABLE INITIALLY IMMEDIATE
             FOR EACH ROW EXECUTE FUNCTION kb_theirs.spy();
         SELECT kb_retry('theirs')",
    );
    wait_until_idle(&mut remote.client);
    assert_embedded(&mut remote.client, "kb_theirs", &remote.mock);
    let users: Vec<String> = as_owner.column("SELECT who FROM kb_theirs.witness", &[]);
    assert_eq!(users, [owner]);
}

/// A worker reads and writes objects that replace an owner's tables only with the owner's privileges.
#[test]
fn a_view_in_the_place_of_a_table_does_not_run_as_the_worker() {
    let (mut remote, _, mut as_owner) = owned_base();
    remote.mock.always(Reply::error(429, "slow down").header("retry-after", "100"));
    as_owner.run("SELECT kb_add('theirs', 'A text.'); GRANT USAGE ON SCHEMA kb_theirs TO PUBLIC");
    wait_until("a pause", || remote.client.value("SELECT EXISTS (SELECT FROM kb_rag.pause)", &[]));
    let trap = Trap::set(&mut as_owner, "kb_theirs");
    as_owner.run(
        "ALTER TABLE kb_theirs.chunk RENAME TO real_chunk;
         CREATE VIEW kb_theirs.chunk AS SELECT * FROM kb_theirs.real_chunk WHERE kb_theirs.trap('chunk') <> '';
         ALTER TABLE kb_theirs.embedding RENAME TO real_embedding;
         CREATE VIEW kb_theirs.embedding AS SELECT * FROM kb_theirs.real_embedding WHERE kb_theirs.trap('vector') <> ''",
    );
    trap.assert_catches_a_superuser(&mut remote.client, "SELECT FROM kb_theirs.chunk");
    let [by_owner, by_others] = trap.runs(&mut as_owner);
    remote.mock.heal();
    remote.client.run("SELECT kb_retry('notes')");
    remote.client.run("CALL kb_work(1)");
    // The other bases are processed, whatever happens to this one.
    remote.client.insert_notes(1, 5);
    wait_until("the other base's vectors", || without_vector(&mut remote.client, "kb_notes") == 0);
    wait_until_idle(&mut remote.client);
    let after = trap.runs(&mut as_owner);
    assert!(after[0] > by_owner, "no worker read the owner's view");
    assert_eq!(after[1], by_others, "the owner's view ran as another role");
}
