//! kb_rename beside other sessions that take the same names.

use kb_rag_cluster_tests::{Database, Outcome, Session, assert_consistent, wait_for_lock};

/// What the second statement ends in once the first, on which it waits, is committed or rolled back.
fn ends_in(first: &str, second: &str, is_committed: bool) -> (String, Vec<String>) {
    let (database, mut client) = Database::with_base("ours");
    client.create_base("others");
    let mut observer = database.connect();
    let mut other = database.connect();
    let pid = other.pid();
    let mut transaction = client.transaction().unwrap();
    transaction.run(first);
    let running = Outcome::spawn(other, second);
    wait_for_lock(&mut observer, pid);
    if is_committed {
        transaction.commit().unwrap()
    } else {
        transaction.rollback().unwrap()
    }
    let state = running.join().unwrap().state;
    (state, observer.column("SELECT name FROM kb_list() ORDER BY name", &[]))
}

#[test]
fn a_name_is_given_once() {
    let create = "SELECT kb_create('new', model => 'fake/test', dimensions => 8)";
    let rename = "SELECT kb_rename('ours', 'new')";
    let rename_others = "SELECT kb_rename('others', 'new')";
    for first in [create, rename_others] {
        let (state, names) = ends_in(first, rename, true);
        assert_eq!(state, "42710", "{first}");
        assert!(names.contains(&"new".to_string()) && names.contains(&"ours".to_string()), "{names:?}");
        let (state, names) = ends_in(first, rename, false);
        assert_eq!(
            (state.as_str(), names),
            ("00000", vec!["new".to_string(), "others".to_string()]),
            "{first}"
        );
    }
    assert_eq!(ends_in(rename, create, true).0, "42710");
    assert_eq!(ends_in(rename, create, false).0, "00000");
}

#[test]
fn a_base_is_renamed_once() {
    let (first, second) = ("SELECT kb_rename('ours', 'first')", "SELECT kb_rename('ours', 'second')");
    let (state, names) = ends_in(first, second, true);
    assert_eq!((state.as_str(), names), ("42704", vec!["first".to_string(), "others".to_string()]));
    let (state, names) = ends_in(first, second, false);
    assert_eq!((state.as_str(), names), ("00000", vec!["others".to_string(), "second".to_string()]));
    assert_eq!(ends_in(first, "SELECT kb_drop('ours')", true).0, "42704");
    assert_eq!(ends_in("SELECT kb_drop('ours')", first, true).0, "42704");
}

/// Neither waits for the other.
#[test]
fn writers_go_on_while_a_base_is_renamed() {
    let (database, mut client) = Database::with_base("ours");
    let mut writer = database.connect();
    writer.run("SET lock_timeout = '5s'");
    let mut transaction = client.transaction().unwrap();
    transaction.run("SELECT kb_rename('ours', 'theirs')");
    writer.run("INSERT INTO kb_ours.document (content) VALUES ('By a trigger.'); SELECT kb_add('ours', 'By its old name.')");
    assert_eq!(writer.value::<i64>("SELECT count(*) FROM kb_search('name', 'ours')", &[]), 2);
    transaction.commit().unwrap();
    writer.run("SELECT kb_add('theirs', 'By its new name.')");
    assert_consistent(&mut writer, "theirs", "kb_ours");
}
