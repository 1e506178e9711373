//! Agents that do not use their knowledge bases: what workers would fetch and embed for them waits, and goes on later.

use kb_rag_cluster_tests::mock::{Gate, Reply};
use kb_rag_cluster_tests::pipeline::{Remote, wait_until_idle, wait_until_no_worker, without_vector};
use kb_rag_cluster_tests::site::{Page, Site};
use kb_rag_cluster_tests::web::{Web, WebSession};
use kb_rag_cluster_tests::{Point, Session, wait_until};
use postgres::Client;

/// Attaches `notes` to the agents a and b, each with its own documents.
fn attach(client: &mut Client) {
    client.run(
        "SELECT kb_attach_agent(kb_agent(name), 'notes', jsonb_build_object('agent_id', kb_agent(name)))
         FROM unnest('{a,b}'::text[]) name",
    );
}

fn turn(client: &mut Client, agent: &str, on: bool) {
    client.run(&format!("SELECT kb_agent_configure(kb_agent('{agent}'), use_knowledge_base => {on})"));
}

/// Adds documents of an agent.
fn insert(client: &mut Client, agent: &str, count: i32) {
    client.run(&format!(
        "INSERT INTO kb_notes.document (content, metadata)
         SELECT 'The note ' || n || ' of {agent}.', jsonb_build_object('agent_id', kb_agent('{agent}'))
         FROM generate_series(1, {count}) n"
    ));
}

fn held(client: &mut Client) -> i64 {
    client.value("SELECT count(*) FROM kb_rag.held_job", &[])
}

fn wait_until_held(client: &mut Client, count: i64) {
    wait_until("jobs that wait for their agent", || held(client) == count);
}

/// Whether a page was asked for.
fn was_asked(web: &Web, path: &str) -> bool {
    web.site.times(path) > 0
}

#[test]
fn a_crawl_stops_between_two_pages_and_goes_on() {
    let gate = Gate::new();
    let mut web = Web::with_workers(Site::with(&[
        ("/docs/", Page::linking("Start", "The first page.", &["a", "b", "c"])),
        ("/docs/a", Page::article("A", "The page a.")),
        ("/docs/b", Page::article("B", "The page b.").held(&gate)),
        ("/docs/c", Page::article("C", "The page c.")),
        ("/other", Page::article("Other", "The page of another agent.")),
        ("/of/nobody", Page::article("Nobody", "The page of no agent.")),
    ]));
    attach(&mut web.client);
    let source = web.add("/docs/", "content_type => 'docs', agent_id => kb_agent('a')");
    web.site.wait_for("/docs/b");
    turn(&mut web.client, "a", false);
    gate.open();
    wait_until_held(&mut web.client, 1);
    // A page that is being fetched is kept. Workers end, and do not come back for what waits.
    wait_until_no_worker(&mut web.client);
    web.has(&["/docs/", "/docs/a", "/docs/b"]);
    assert!(!was_asked(&web, "/docs/c"));
    // Those of others do not wait.
    web.add("/other", "agent_id => kb_agent('b')");
    web.add("/of/nobody", "");
    wait_until("the pages of others", || {
        web.client.value("SELECT NOT EXISTS (SELECT FROM kb_rag.job WHERE NOT failed)", &[])
    });
    web.has(&["/docs/", "/docs/a", "/docs/b", "/of/nobody", "/other"]);
    // Nor does anybody fetch it when asked.
    assert_eq!(web.client.value::<i64>("SELECT kb_source_sync($1, true)", &[&source]), 1);
    wait_until_held(&mut web.client, 2);
    wait_until_no_worker(&mut web.client);
    assert!(!was_asked(&web, "/docs/c"));
    assert_eq!(web.site.times("/docs/"), 1);
    turn(&mut web.client, "a", true);
    web.client.wait_for_crawls();
    web.succeeded(source);
    web.has(&["/docs/", "/docs/a", "/docs/b", "/docs/c", "/of/nobody", "/other"]);
    assert_eq!(held(&mut web.client), 0);
}

#[test]
fn a_url_is_fetched_once_its_agent_is_turned_on() {
    let mut web = Web::with_workers(Site::with(&[("/a", Page::article("A", "The page a."))]));
    attach(&mut web.client);
    turn(&mut web.client, "a", false);
    let source = web.add("/a", "agent_id => kb_agent('a')");
    wait_until_held(&mut web.client, 1);
    wait_until_no_worker(&mut web.client);
    assert_eq!((web.status(source).0.as_str(), was_asked(&web, "/a")), ("pending", false));
    // One that is rolled back changes nothing.
    web.client.run("BEGIN");
    turn(&mut web.client, "a", true);
    web.client.run("ROLLBACK");
    assert_eq!(held(&mut web.client), 1);
    turn(&mut web.client, "a", true);
    web.client.wait_for_crawls();
    web.succeeded(source);
    web.has(&["/a"]);
}

#[test]
fn bases_of_others_do_not_wait_for_an_agent() {
    let mut web = Web::with_workers(Site::with(&[("/a", Page::article("A", "The page a."))]));
    web.client.create_base("mine");
    // An agent whose only base is another one: anybody may attach a base of their own to it.
    web.client.run("SELECT kb_attach_agent(kb_agent('a'), 'mine')");
    turn(&mut web.client, "a", false);
    let source = web.add("/a", "agent_id => kb_agent('a')");
    web.client.wait_for_crawls();
    web.succeeded(source);
    web.has(&["/a"]);
    assert_eq!(held(&mut web.client), 0);
}

#[test]
fn documents_are_embedded_once_their_agent_is_turned_on() {
    let mut remote = Remote::start();
    attach(&mut remote.client);
    turn(&mut remote.client, "a", false);
    insert(&mut remote.client, "a", 12);
    insert(&mut remote.client, "b", 12);
    wait_until_held(&mut remote.client, 12);
    wait_until("the vectors of the other agent", || without_vector(&mut remote.client, "kb_notes") == 12);
    wait_until_no_worker(&mut remote.client);
    let sent: Vec<String> = remote.mock.calls().into_iter().flat_map(|call| call.texts).collect();
    assert!(sent.iter().all(|text| text.contains(" of b.")), "{sent:?}");
    turn(&mut remote.client, "a", true);
    remote.finish();
    assert_eq!(held(&mut remote.client), 0);
}

#[test]
fn what_is_being_embedded_ends_and_no_more_begins() {
    let mut remote = Remote::start();
    attach(&mut remote.client);
    let gate = Gate::new();
    remote.mock.always(Reply::right().held(&gate));
    insert(&mut remote.client, "a", 3);
    remote.mock.wait_until("the call of the three", |calls| calls.iter().any(|call| call.ended.is_none()));
    turn(&mut remote.client, "a", false);
    insert(&mut remote.client, "a", 4);
    gate.open();
    remote.mock.heal();
    wait_until_held(&mut remote.client, 4);
    wait_until("the vectors of the call", || without_vector(&mut remote.client, "kb_notes") == 4);
    turn(&mut remote.client, "a", true);
    remote.finish();
}

/// The worker has looked whether the agent is on, and puts the jobs aside after it was turned on again.
#[test]
fn a_worker_that_looked_before_queues_them_again() {
    let (mut remote, mut point) = Remote::prepared(|database| Point::hold(database, "embed.hold"));
    attach(&mut remote.client);
    turn(&mut remote.client, "a", false);
    insert(&mut remote.client, "a", 5);
    point.wait_for(1);
    turn(&mut remote.client, "a", true);
    assert_eq!(held(&mut remote.client), 0, "nothing is there to be queued");
    point.release();
    wait_until_idle(&mut remote.client);
    remote.finish();
    assert_eq!(held(&mut remote.client), 0);
}

#[test]
fn an_agent_that_is_dropped_holds_nothing() {
    let mut remote = Remote::start();
    attach(&mut remote.client);
    turn(&mut remote.client, "a", false);
    insert(&mut remote.client, "a", 5);
    wait_until_held(&mut remote.client, 5);
    wait_until_no_worker(&mut remote.client);
    remote.client.run("SELECT kb_agent_drop(kb_agent('a'))");
    remote.finish();
    assert_eq!(held(&mut remote.client), 0);
}
