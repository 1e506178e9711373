//! Malicious code that an owner places on its base runs with the owner's privileges, whoever writes or
//! searches, and cannot escape from them.

use kb_rag_cluster_tests::{Database, Outcome, Session, Trap, assert_consistent, counts, wait_for_lock};
use postgres::Client;

/// A base of a role that is not a superuser, with sessions of that owner, a writer and the superuser.
struct Owned {
    database: Database,
    owner: String,
    as_owner: Client,
    as_writer: Client,
    as_superuser: Client,
}

fn owned_base() -> Owned {
    let database = Database::create();
    let owner = database.create_owner("owner");
    let writer = database.create_role("writer");
    let mut as_owner = database.connect_as(&owner);
    as_owner.run(&format!(
        "SELECT kb_create('theirs', model => 'fake/test', dimensions => 8);
         GRANT USAGE ON SCHEMA kb_theirs TO {writer};
         GRANT SELECT, INSERT, UPDATE, DELETE ON kb_theirs.document TO {writer};
         CREATE TABLE kb_theirs.witness (who text, session text, at text, operation text)"
    ));
    Owned {
        as_writer: database.connect_as(&writer),
        as_superuser: database.connect(),
        database,
        owner,
        as_owner,
    }
}

/// All statements that make kb_rag write chunks or vectors.
const WRITES: [&str; 5] = [
    "INSERT INTO kb_theirs.document (content, source_key) VALUES ('Directly.', 'd')",
    "SELECT kb_add('theirs', 'By kb_add.', source_key => 'a')",
    "SELECT kb_add('theirs', 'By kb_add, again.', source_key => 'a')",
    "UPDATE kb_theirs.document SET content = content || ' More.', metadata = '{\"m\": 1}'",
    "UPDATE kb_theirs.document SET metadata = '{\"m\": 2}'",
];

#[test]
fn triggers_on_chunks_and_vectors_run_as_the_owner() {
    let mut base = owned_base();
    base.as_owner.run(
        "CREATE FUNCTION kb_theirs.spy() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN
             INSERT INTO kb_theirs.witness VALUES (current_user, session_user, TG_TABLE_NAME, TG_WHEN || ' ' || TG_OP);
             IF TG_LEVEL = 'ROW' AND TG_OP <> 'DELETE' THEN RETURN NEW; ELSIF TG_LEVEL = 'ROW' THEN RETURN OLD; END IF;
             RETURN NULL;
         END $$",
    );
    for table in ["chunk", "embedding"] {
        for (time, level) in [("BEFORE", "ROW"), ("AFTER", "ROW"), ("AFTER", "STATEMENT")] {
            base.as_owner.run(&format!(
                "CREATE TRIGGER spy_{time}_{level} {time} INSERT OR UPDATE ON kb_theirs.{table}
                 FOR EACH {level} EXECUTE FUNCTION kb_theirs.spy()"
            ));
        }
    }
    for statement in WRITES {
        base.as_superuser.run(statement);
    }
    base.as_superuser.run("DELETE FROM kb_theirs.document");
    for statement in WRITES {
        base.as_writer.run(statement);
    }
    let users: Vec<String> = base.as_owner.column("SELECT DISTINCT who FROM kb_theirs.witness", &[]);
    assert_eq!(users, [base.owner.clone()], "current_user inside the triggers");
    let sessions: i64 = base.as_owner.value("SELECT count(DISTINCT session) FROM kb_theirs.witness", &[]);
    assert_eq!(sessions, 2, "both the superuser and the writer were watched");
    let places: i64 =
        base.as_owner.value("SELECT count(DISTINCT (at, operation)) FROM kb_theirs.witness", &[]);
    assert_eq!(places, 6, "BEFORE and AFTER INSERT of both tables, BEFORE and AFTER UPDATE of chunk");
    assert_consistent(&mut base.as_superuser, "theirs", "kb_theirs");
    drop(base.database);
}

/// Code that a write runs other than a trigger: a default, a check, an index expression.
#[test]
fn expressions_on_chunks_run_as_the_owner() {
    let mut base = owned_base();
    base.as_owner.run(
        "CREATE FUNCTION kb_theirs.note(at text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
         BEGIN
             INSERT INTO kb_theirs.witness VALUES (current_user, session_user, at);
             RETURN true;
         END $$;
         ALTER FUNCTION kb_theirs.note VOLATILE;
         ALTER TABLE kb_theirs.chunk ADD COLUMN planted boolean DEFAULT kb_theirs.note('default');
         ALTER TABLE kb_theirs.chunk ADD CHECK (kb_theirs.note('check ' || left(content, 0)));
         ALTER FUNCTION kb_theirs.note IMMUTABLE;
         CREATE INDEX ON kb_theirs.chunk (kb_theirs.note('index ' || left(content, 0)));
         ALTER FUNCTION kb_theirs.note VOLATILE;
         TRUNCATE kb_theirs.witness",
    );
    for client in [&mut base.as_superuser, &mut base.as_writer] {
        for statement in WRITES {
            client.run(statement);
        }
        client.run("DELETE FROM kb_theirs.document");
    }
    let users: Vec<String> = base.as_owner.column("SELECT DISTINCT who FROM kb_theirs.witness", &[]);
    assert_eq!(users, [base.owner.clone()]);
    let places: i64 = base.as_owner.value("SELECT count(DISTINCT at) FROM kb_theirs.witness", &[]);
    assert_eq!(places, 3, "default, check and index were evaluated");
}

#[test]
fn a_trap_in_a_trigger_fails_and_rolls_the_statement_back() {
    let mut base = owned_base();
    let owner = base.owner.clone();
    base.as_superuser.run("SELECT kb_add('theirs', 'There before.')");
    for trap in [
        "SET ROLE NONE",
        "RESET ROLE",
        "SET ROLE postgres",
        "SET SESSION AUTHORIZATION DEFAULT",
        "SET SESSION AUTHORIZATION postgres",
        "RESET SESSION AUTHORIZATION",
        &format!("ALTER ROLE {owner} SUPERUSER"),
        "PERFORM set_config('role', 'none', false)",
        "PERFORM pg_read_file('PG_VERSION')",
        "EXECUTE 'CREATE TEMP TABLE trap (id int)'",
    ] {
        for table in ["chunk", "embedding"] {
            base.as_owner.run(&format!(
                "CREATE OR REPLACE FUNCTION kb_theirs.trap() RETURNS trigger LANGUAGE plpgsql AS $$
                 BEGIN {trap}; RETURN NULL; END $$;
                 CREATE TRIGGER trap AFTER INSERT ON kb_theirs.{table} FOR EACH ROW EXECUTE FUNCTION kb_theirs.trap()"
            ));
            for client in [&mut base.as_superuser, &mut base.as_writer] {
                let user: String = client.value("SELECT current_user::text", &[]);
                for statement in &WRITES[..2] {
                    let state = client.state_of(statement, &[]);
                    assert_eq!(state, "42501", "{trap} on {table}, {statement} by {user}");
                }
                assert_eq!(client.value::<String>("SELECT current_user::text", &[]), user);
            }
            base.as_owner.run(&format!("DROP TRIGGER trap ON kb_theirs.{table}"));
        }
    }
    assert_eq!(counts(&mut base.as_superuser, "kb_theirs"), [1, 1, 1]);
    let superuser: bool =
        base.as_owner.value("SELECT rolsuper FROM pg_roles WHERE rolname = current_user", &[]);
    assert!(!superuser);
}

/// A trigger deferred to the commit would run outside of the owner's context, as the writer: PostgreSQL rejects it
/// there. A trigger that fires at once runs as the owner.
#[test]
fn a_deferred_trigger_never_runs_as_the_superuser() {
    let mut base = owned_base();
    base.as_owner.run(
        "CREATE FUNCTION kb_theirs.spy() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN INSERT INTO kb_theirs.witness VALUES (current_user, session_user, TG_TABLE_NAME); RETURN NULL; END $$;
         GRANT INSERT ON kb_theirs.witness TO PUBLIC",
    );
    for (when, state) in [("DEFERRED", "42501"), ("IMMEDIATE", "00000")] {
        for table in ["chunk", "embedding"] {
            base.as_owner.run(&format!(
                "DROP TRIGGER IF EXISTS spy ON kb_theirs.{table};
                 CREATE CONSTRAINT TRIGGER spy AFTER INSERT ON kb_theirs.{table} DEFERRABLE INITIALLY {when}
                     FOR EACH ROW EXECUTE FUNCTION kb_theirs.spy()"
            ));
        }
        for statement in &WRITES[..2] {
            assert_eq!(base.as_superuser.state_of(statement, &[]), state, "{statement}, {when}");
        }
        let seen: Vec<String> =
            base.as_owner.column("SELECT who || ' ' || at FROM kb_theirs.witness ORDER BY 1", &[]);
        let owner = &base.owner;
        let expected = ["chunk", "chunk", "embedding", "embedding"].map(|table| format!("{owner} {table}"));
        assert_eq!(seen, if when == "DEFERRED" { &[][..] } else { &expected[..] }, "{when}");
    }
}

/// An owner's base with a trap, which the owner granted to the superuser by name, and a base of the superuser.
fn planted_base() -> (Owned, Trap) {
    let mut base = owned_base();
    base.as_superuser.run(
        "SELECT kb_create('ours', model => 'fake/test', dimensions => 8); SELECT kb_add('ours', 'An honest kiwi.')",
    );
    base.as_owner.run("SELECT kb_add('theirs', 'A planted kiwi.'), kb_grant('theirs', 'postgres', 'read')");
    let trap = Trap::set(&mut base.as_owner, "kb_theirs");
    (base, trap)
}

/// Statements that read all bases, including those of others, without naming any, and statements that name the base
/// with the trap.
const READS: [&str; 15] = [
    "SELECT * FROM kb_list()",
    "SELECT * FROM kb_rag.status",
    "SELECT * FROM kb_hybrid_search('kiwi')",
    "SELECT * FROM kb_search('kiwi', mode => 'keyword')",
    "SELECT * FROM kb_search_documents('kiwi')",
    "SELECT * FROM kb_browse()",
    "SELECT * FROM kb_stats()",
    "SELECT * FROM kb_search_documents('kiwi', 'theirs')",
    "SELECT * FROM kb_browse('theirs')",
    "SELECT * FROM kb_stats('theirs')",
    "SELECT * FROM kb_read((SELECT id FROM kb_theirs.document), knowledge_base => 'theirs')",
    "SELECT * FROM kb_hybrid_search('kiwi', 'theirs')",
    "SELECT * FROM kb_search('kiwi', 'theirs', mode => 'semantic')",
    "SELECT * FROM kb_search('kiwi', 'theirs', mode => 'keyword')",
    "SELECT * FROM match_knowledge_chunks((SELECT id FROM kb_list() WHERE name = 'theirs'), kb_embed('kiwi', 'fake/test', 8), 5, -1)",
];

/// Fails unless these statements of the superuser run the trap, and only as the owner. `query` runs it as the superuser.
/// `refused` fail with 42804.
fn assert_trap_runs_as_owner(mut base: Owned, trap: &Trap, query: &str, expected: &[&str], refused: &[&str]) {
    trap.assert_catches_a_superuser(&mut base.as_superuser, query);
    let mut trapped = Vec::new();
    for statement in READS {
        let [by_owner, by_others] = trap.runs(&mut base.as_owner);
        // A session of its own, in which nothing is cached.
        let state = if refused.contains(&statement) { "42804" } else { "00000" };
        assert_eq!(base.database.connect().state_of(statement, &[]), state, "{statement}");
        let after = trap.runs(&mut base.as_owner);
        assert_eq!(after[1], by_others, "{statement} ran the owner's code as another role");
        if after[0] > by_owner {
            trapped.push(statement);
        }
    }
    assert_eq!(trapped, expected);
}

/// Puts a view that runs the trap in the place of the table of vectors.
const EMBEDDING_VIEW: &str = "ALTER TABLE kb_theirs.embedding RENAME TO real_embedding;
    CREATE VIEW kb_theirs.embedding AS
        SELECT chunk_id, embedding FROM kb_theirs.real_embedding WHERE kb_theirs.trap(chunk_id::text) <> ''";

/// An object that replaces an owner's table does not run with the privileges of a role that searches all
/// bases.
#[test]
fn a_view_in_the_place_of_a_table_does_not_run_as_the_superuser() {
    let (mut base, trap) = planted_base();
    base.as_owner.run(EMBEDDING_VIEW);
    base.as_owner.run(
        "ALTER TABLE kb_theirs.chunk RENAME TO real_chunk;
         CREATE VIEW kb_theirs.chunk AS
             SELECT * FROM kb_theirs.real_chunk WHERE kb_theirs.trap(content) <> ''",
    );
    // Without a name, and by the id of an agent, a search leaves this base out. Keyword search needs a table.
    let refused = [READS[7], READS[11], READS[13]];
    let expected: Vec<&str> = READS[7..14].iter().copied().filter(|read| !refused.contains(read)).collect();
    assert_trap_runs_as_owner(base, &trap, "SELECT FROM kb_theirs.embedding", &expected, &refused);
}

/// The same for a table that keyword search does not need.
#[test]
fn a_view_in_the_place_of_embedding_does_not_run_as_the_superuser() {
    let (mut base, trap) = planted_base();
    base.as_owner.run(EMBEDDING_VIEW);
    assert_trap_runs_as_owner(
        base,
        &trap,
        "SELECT FROM kb_theirs.embedding",
        &[READS[7], READS[11], READS[12]],
        &[],
    );
}

/// The planner folds constants in the predicates of indexes, which runs functions that claim to be immutable.
#[test]
fn a_function_in_an_index_predicate_does_not_run_as_the_superuser() {
    let (mut base, trap) = planted_base();
    base.as_owner.run(
        "CREATE INDEX ON kb_theirs.chunk (id) WHERE kb_theirs.trap('x') = 'x';
         CREATE INDEX ON kb_theirs.embedding (chunk_id) WHERE kb_theirs.trap('x') = 'x'",
    );
    let query = "SELECT FROM kb_theirs.embedding WHERE chunk_id IS NULL";
    assert_trap_runs_as_owner(base, &trap, query, &READS[1..], &[]);
}

/// A schema created before the extension is not adopted, and nothing that its owner placed there is run.
#[test]
fn schemas_made_before_the_extension_are_not_taken_over() {
    let database = Database::bare("");
    let early = database.create_role("early");
    let mut superuser = database.connect();
    superuser.run(&format!("GRANT CREATE ON DATABASE {} TO {early}", database.name()));
    let mut client = database.connect_as(&early);
    for planted in [
        "CREATE SCHEMA kb_rag",
        "CREATE SCHEMA kb_rag; CREATE TABLE kb_rag.knowledge_base (id int); \
         CREATE FUNCTION kb_rag.uuid_v7() RETURNS uuid LANGUAGE sql AS 'SELECT NULL::uuid'",
    ] {
        client.run(planted);
        assert_eq!(superuser.state_of("CREATE EXTENSION kb_rag CASCADE", &[]), "42P06", "{planted}");
        client.run("DROP SCHEMA kb_rag CASCADE");
    }
    // A function with the name of one of kb_rag's, in the schema of kb_rag's functions.
    superuser.run(&format!("GRANT CREATE ON SCHEMA public TO {early}"));
    client.run("CREATE FUNCTION public.kb_list() RETURNS int LANGUAGE sql AS 'SELECT 1'");
    assert_eq!(superuser.state_of("CREATE EXTENSION kb_rag CASCADE", &[]), "42723");
    client.run("DROP FUNCTION public.kb_list()");
    // Operators in that schema, which the install script would find first if its names were not qualified.
    client.run(
        "CREATE FUNCTION public.trap(text, text) RETURNS boolean LANGUAGE plpgsql AS $$
         BEGIN RAISE EXCEPTION 'trapped'; END $$;
         CREATE FUNCTION public.trap(int, int) RETURNS boolean LANGUAGE plpgsql AS $$
         BEGIN RAISE EXCEPTION 'trapped'; END $$;
         CREATE OPERATOR public.<> (LEFTARG = text, RIGHTARG = text, FUNCTION = public.trap);
         CREATE OPERATOR public.>= (LEFTARG = int, RIGHTARG = int, FUNCTION = public.trap);
         CREATE OPERATOR public.< (LEFTARG = int, RIGHTARG = int, FUNCTION = public.trap)",
    );
    superuser.run("SET search_path = public, pg_catalog; CREATE EXTENSION kb_rag CASCADE; RESET search_path");
    superuser.create_base("kept");
    superuser.run("SELECT kb_add('kept', 'A kiwi.')");
    let found: Vec<String> = superuser.column("SELECT content FROM kb_search('kiwi', 'kept')", &[]);
    assert_eq!(found, ["A kiwi."]);
    drop(client);
    drop(superuser);
    drop(database);
}

/// A search for an agent runs no policy of an owner whom the searcher does not trust, even where it came while the search waited.
#[test]
fn a_policy_that_comes_while_a_search_for_an_agent_waits_does_not_run() {
    for table in ["document", "chunk", "embedding"] {
        let Owned { database, mut as_owner, mut as_superuser, .. } = owned_base();
        let reader = database.create_role("reader");
        as_owner.run(&format!(
            "SELECT kb_add('theirs', 'A kiwi.'), kb_grant('theirs', '{reader}', 'read'), kb_attach_agent(kb_agent('helper'), 'theirs');
             CREATE FUNCTION kb_theirs.trap() RETURNS boolean LANGUAGE plpgsql AS $$
             BEGIN RAISE EXCEPTION 'trapped'; END $$"
        ));
        as_superuser.run("CALL kb_work()");
        let mut searcher = database.connect_as(&reader);
        let search = "SELECT FROM kb_search('kiwi', agent_id => kb_agent('helper'))";
        assert_eq!(searcher.state_of(search, &[]), "00000");
        as_owner.run(&format!(
            "BEGIN; LOCK TABLE kb_theirs.document; CREATE POLICY trap ON kb_theirs.{table} USING (kb_theirs.trap());
             ALTER TABLE kb_theirs.{table} ENABLE ROW LEVEL SECURITY"
        ));
        let pid = searcher.pid();
        let searching = Outcome::spawn(searcher, search);
        wait_for_lock(&mut as_superuser, pid);
        as_owner.run("COMMIT");
        let mut outcome = Outcome::joined(searching, "the search");
        assert_eq!(outcome.state, "00000", "a policy on {table}");
        // The control: the caller who names the base runs it.
        let named = "SELECT FROM kb_search('kiwi', 'theirs')";
        assert_eq!(outcome.client.state_of(named, &[]), "P0001", "a policy on {table}");
    }
}
