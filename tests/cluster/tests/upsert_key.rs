//! Concurrent upserts by the key that ORMs name.

use std::sync::{Arc, Barrier};
use std::thread;

use kb_rag_cluster_tests::{Database, Session, assert_consistent, counts};

const WRITERS: usize = 4;
const KEYS: usize = 60;

/// Two unique indexes would let one of the writers of a new key fail.
#[test]
fn writers_of_one_new_key_at_once_do_not_fail() {
    let (database, mut client) = Database::with_base("shared");
    client.run("SELECT kb_configure('shared', upsert_key => true)");
    let together = Arc::new(Barrier::new(WRITERS));
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (mut session, together) = (database.connect(), Arc::clone(&together));
            thread::spawn(move || {
                // A writer that fails goes on: the others wait for it.
                let mut failed = Vec::new();
                for key in 0..KEYS {
                    together.wait();
                    failed.extend(session.batch_execute(&if writer == 0 {
                        format!("SELECT kb_add('shared', 'By kb_add {key}.', source_key => 'k{key}')")
                    } else {
                        format!(
                            "INSERT INTO kb_shared.document (content, source_key) VALUES ('By {writer}, {key}.', 'k{key}')
                             ON CONFLICT (upsert_key) DO UPDATE SET content = excluded.content"
                        )
                    }).err());
                }
                failed.iter().map(|error| format!("{writer}: {error:?}")).collect::<Vec<_>>()
            })
        })
        .collect();
    for writer in writers {
        assert_eq!(writer.join().unwrap(), Vec::<String>::new());
    }
    assert_eq!(counts(&mut client, "kb_shared")[0], KEYS as i64);
    assert_consistent(&mut client, "shared", "kb_shared");
}

/// kb_rag's own statements name the key that is there, whatever kb_configure does beside them.
#[test]
fn the_key_is_exchanged_beside_writers() {
    let (database, mut client) = Database::with_base("shared");
    client
        .run("CREATE TABLE note (id int PRIMARY KEY, body text); SELECT kb_attach('note', 'shared', 'body')");
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let mut session = database.connect();
            thread::spawn(move || {
                for turn in 0..KEYS {
                    session.run(&if writer == 0 {
                        format!("INSERT INTO note VALUES ({turn} % 7, 'Note of turn {turn}.') ON CONFLICT (id) DO UPDATE SET body = excluded.body")
                    } else {
                        format!("SELECT kb_add('shared', 'Turn {turn} of {writer}.', source_key => 'k' || {turn} % 5)")
                    });
                }
            })
        })
        .collect();
    let mut is_wanted = false;
    while writers.iter().any(|writer| !writer.is_finished()) {
        is_wanted = !is_wanted;
        client.run(&format!("SELECT kb_configure('shared', upsert_key => {is_wanted})"));
    }
    for writer in writers {
        writer.join().unwrap();
    }
    assert_eq!(counts(&mut client, "kb_shared")[0], 7 + 5);
    assert_consistent(&mut client, "shared", "kb_shared");
}
