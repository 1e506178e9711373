//! Abstracts and overviews that a chat model makes: what is kept, what is made again, and what a failing model holds up.

use kb_rag_cluster_tests::mock::{Gate, Mock, Reply};
use kb_rag_cluster_tests::pipeline::{RemoteSession, wait_until_idle};
use kb_rag_cluster_tests::{
    Database, Session, assert_nothing_to_reconcile, dump_and_restore, sqlstate, wait_until,
};
use postgres::Client;
use serde_json::json;

const CHAT: &str = "/chat/completions";

fn reply(text: &str) -> Reply {
    let body = json!({"choices": [{"message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": 70, "completion_tokens": 7}});
    Reply::json(body.to_string())
}

fn chats(mock: &Mock, reply: Reply) {
    mock.when(|call| call.path.ends_with(CHAT), reply);
}

fn asked(mock: &Mock) -> Vec<String> {
    let calls = mock.calls().into_iter().filter(|call| call.path.ends_with(CHAT));
    calls.map(|call| call.json()["messages"].to_string()).collect()
}

/// Abstract and overview of a document by its key, and which of them are marked.
fn texts(client: &mut Client, key: &str) -> String {
    client.value(
        "SELECT concat_ws(' ', coalesce(d.abstract, '-'), coalesce(d.overview, '-'),
            CASE WHEN s.document_id IS NOT NULL THEN concat(s.model, ':', CASE WHEN s.abstract_hash IS NOT NULL THEN 'a' END,
                CASE WHEN s.overview_hash IS NOT NULL THEN 'o' END) END)
         FROM kb_notes.document d LEFT JOIN kb_notes.summary s ON s.document_id = d.id WHERE d.source_key = $1",
        &[&key],
    )
}

/// A base with vectors of no provider, whose documents `mock/chat` summarizes.
fn start() -> (Database, Client, Mock) {
    let (database, mock) = (Database::create(), Mock::openai());
    let mut client = database.connect();
    client.set_provider("mock", &mock);
    client.run("SELECT kb_create('notes', model => 'fake/e8', dimensions => 8)");
    (database, client, mock)
}

#[test]
fn made_texts_follow_the_content_and_those_of_users_stay() {
    let (_database, mut client, mock) = start();
    chats(&mock, reply("Made.\n---\nMade longer."));
    client.run(
        "SELECT kb_add('notes', 'The red handle drains the tank.', 'Tank', source_key => 'tank');
         SELECT kb_add('notes', 'The pump is blue.', source_key => 'pump');
         SELECT kb_add('notes', 'Both are there.', source_key => 'both');
         SELECT kb_add('notes', E' \\n ', source_key => 'blank');
         UPDATE kb_notes.document SET abstract = 'Mine.' WHERE source_key IN ('pump', 'both');
         UPDATE kb_notes.document SET overview = '' WHERE source_key = 'both'",
    );
    wait_until_idle(&mut client);
    assert_eq!(asked(&mock), [] as [String; 0]);

    // Documents that are there, and what is sent.
    client.run("SELECT kb_configure('notes', summaries => 'mock/chat')");
    wait_until_idle(&mut client);
    let calls = asked(&mock);
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert!(calls[0].contains("You write summaries") && calls[0].contains("three hyphens"), "{calls:?}");
    assert!(calls.iter().any(|call| call.contains("Tank\\n\\nThe red handle drains the tank.")), "{calls:?}");
    assert_eq!(texts(&mut client, "tank"), "Made. Made longer. mock/chat:ao");
    assert_eq!(texts(&mut client, "pump"), "Mine. Made longer. mock/chat:o");
    assert_eq!(texts(&mut client, "both"), "Mine. ");
    assert_eq!(texts(&mut client, "blank"), "- -");
    let usage: String = client.value(
        "SELECT concat_ws(' ', knowledge_base, calls, tokens, output_tokens, errors) FROM kb_rag.usage_daily WHERE model = 'mock/chat'",
        &[],
    );
    assert_eq!(usage, "notes 2 140 14 0");

    // Another content: made texts are made again, also in a new document; a user's stays.
    mock.heal();
    chats(&mock, reply("Again.\n---\nAgain longer."));
    client.run(
        "SELECT kb_add('notes', 'The red handle fills the tank.', 'Tank', source_key => 'tank');
         SELECT kb_add('notes', 'The pump is green.', source_key => 'pump');
         SELECT kb_add('notes', 'New.', source_key => 'new');
         UPDATE kb_notes.document SET title = 'Both' WHERE source_key = 'both'",
    );
    wait_until_idle(&mut client);
    assert_eq!(texts(&mut client, "tank"), "Again. Again longer. mock/chat:ao");
    assert_eq!(texts(&mut client, "pump"), "Mine. Again longer. mock/chat:o");
    assert_eq!(texts(&mut client, "new"), "Again. Again longer. mock/chat:ao");
    assert_eq!(asked(&mock).len(), 5);

    // A user's text replaces a made one and stays when the content changes.
    client.run(
        "UPDATE kb_notes.document SET abstract = 'Also mine.' WHERE source_key = 'tank';
         UPDATE kb_notes.document SET abstract = 'Mine, too.', overview = 'Mine, longer.' WHERE source_key = 'new';
         UPDATE kb_notes.document SET metadata = '{\"a\": 1}'",
    );
    wait_until_idle(&mut client);
    assert_eq!(texts(&mut client, "tank"), "Also mine. Again longer. mock/chat:o");
    assert_eq!(texts(&mut client, "new"), "Mine, too. Mine, longer.");
    assert_eq!(asked(&mock).len(), 5);
    client.run("SELECT kb_add('notes', 'The tank is gone.', source_key => 'tank'), kb_add('notes', 'Newer.', source_key => 'new')");
    wait_until_idle(&mut client);
    assert_eq!(texts(&mut client, "tank"), "Also mine. Again longer. mock/chat:o");
    assert_eq!(texts(&mut client, "new"), "Mine, too. Mine, longer.");
    assert_eq!(asked(&mock).len(), 6);

    // A text that a user removes is made again. Without the setting nothing is made, and an outdated text is removed.
    client.run("UPDATE kb_notes.document SET abstract = NULL WHERE source_key = 'tank'");
    wait_until_idle(&mut client);
    assert_eq!(texts(&mut client, "tank"), "Again. Again longer. mock/chat:ao");
    client.run(
        "SELECT kb_configure('notes', summaries => '');
         SELECT kb_add('notes', 'Another text.', source_key => 'tank'), kb_add('notes', 'More.', source_key => 'more')",
    );
    wait_until_idle(&mut client);
    assert_eq!(texts(&mut client, "tank"), "- -");
    assert_eq!(texts(&mut client, "more"), "- -");
    assert_eq!(texts(&mut client, "pump"), "Mine. Again longer. mock/chat:o");
    assert_eq!(asked(&mock).len(), 7);
    assert_nothing_to_reconcile(&mut client, "notes");
}

/// A reply that comes after the content or the text has changed is not written.
#[test]
fn a_late_reply_replaces_nothing() {
    let (_database, mut client, mock) = start();
    // A provider that has not answered yet does not get the last worker.
    chats(&mock, reply("Short.\n---\nLonger."));
    client.run(
        "SELECT kb_configure('notes', summaries => 'mock/chat'); SELECT kb_add('notes', 'Before.', source_key => 'before')",
    );
    wait_until_idle(&mut client);
    mock.heal();
    mock.forget_calls();
    let gate = Gate::new();
    chats(&mock, reply("Late.\n---\nLate longer.").held(&gate));
    client.run(
        "INSERT INTO kb_notes.document (source_key, content) VALUES ('changed', 'The first text.'), ('written', 'The other text.')",
    );
    mock.wait_until("both are asked for", |calls| {
        calls.iter().filter(|call| call.path.ends_with(CHAT)).count() == 2
    });
    client.run(
        "UPDATE kb_notes.document SET content = 'The second text.' WHERE source_key = 'changed';
         UPDATE kb_notes.document SET overview = 'Mine.' WHERE source_key = 'written'",
    );
    mock.heal();
    chats(&mock, reply("Right.\n---\nRight longer."));
    gate.open();
    wait_until_idle(&mut client);
    assert_eq!(texts(&mut client, "changed"), "Right. Right longer. mock/chat:ao");
    assert_eq!(texts(&mut client, "written"), "Late. Mine. mock/chat:a");
    assert!(asked(&mock).last().unwrap().contains("The second text."));
}

/// Without answers of the chat model, documents are cut and embedded; the model alone is paused, and kb_retry tries again.
#[test]
fn a_failing_chat_model_holds_up_nothing_else() {
    let (database, mut client, mock) = start();
    client.create_remote_base("remote", "mock/small");
    chats(&mock, Reply::error(401, "no such key"));
    client.run(
        "SELECT kb_configure('notes', summaries => 'mock/chat'), kb_configure('remote', summaries => 'mock/chat');
         SELECT kb_add('notes', 'A text.', source_key => 'one')",
    );
    wait_until("the model is paused", || {
        client.value::<bool>("SELECT paused LIKE 'mock/chat for % s: %no such key%' IS TRUE FROM kb_rag.status WHERE knowledge_base = 'notes'", &[])
    });
    client.run("SELECT kb_add('remote', 'Another text.', source_key => 'two')");
    wait_until("its vector is there", || {
        client.value::<bool>("SELECT status = 'indexed' FROM kb_remote.document", &[])
    });
    assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_rag.failed", &[]), 0);
    let found: i64 = client.value("SELECT count(*) FROM kb_search('another text', 'remote')", &[]);
    assert_eq!(found, 1);

    // A reply that cannot be read is tried again, and then it has failed.
    mock.heal();
    chats(&mock, reply("No line between."));
    client.run("SELECT kb_retry('notes'), kb_retry('remote')");
    mock.wait_until("it is asked again", |calls| {
        calls.iter().filter(|call| call.path.ends_with(CHAT)).count() >= 2
    });
    let reason = "the reply is not an abstract, a line with --- and an overview";
    wait_until("the reason is shown", || {
        client.value::<bool>(
            &format!("SELECT EXISTS (SELECT FROM kb_rag.failed WHERE source_key = 'one' AND reason LIKE '%{reason}%')"),
            &[],
        )
    });
    mock.heal();
    chats(&mock, reply("Short.\n---\nLonger."));
    client.run("SELECT kb_retry('notes'), kb_retry('remote')");
    wait_until_idle(&mut client);
    assert_eq!(texts(&mut client, "one"), "Short. Longer. mock/chat:ao");
    assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_rag.failed", &[]), 0);
    drop(database);
}

/// The owner of the base needs the grant, when it is configured and whenever a document is sent.
#[test]
fn the_owner_needs_the_grant() {
    let (database, mut client, mock) = start();
    chats(&mock, reply("Short.\n---\nLonger."));
    let owner = database.create_owner("summaries");
    let mut session = database.connect_as(&owner);
    session.run("SELECT kb_create('own', model => 'fake/e8', dimensions => 8)");
    let set = "SELECT kb_configure('own', summaries => 'mock/chat')";
    assert_eq!(sqlstate(&session.execute(set, &[])), "42501");
    let estimate = "SELECT * FROM kb_estimate('own', summaries => 'mock/chat')";
    assert_eq!(sqlstate(&session.query(estimate, &[])), "42501");
    client.run(&format!("SELECT kb_provider_grant('mock', '{owner}')"));
    session.run(set);
    session.run("SELECT kb_add('own', 'A text.', source_key => 'one')");
    wait_until_idle(&mut client);
    assert_eq!(client.value::<String>("SELECT abstract FROM kb_own.document", &[]), "Short.");

    client.run(&format!("SELECT kb_provider_revoke('mock', '{owner}')"));
    session.run("SELECT kb_add('own', 'Another text.', source_key => 'two')");
    wait_until("the reason is shown", || {
        session.value::<bool>(
            "SELECT EXISTS (SELECT FROM kb_rag.failed WHERE source_key = 'two' AND reason LIKE '%permission denied for provider%')",
            &[],
        )
    });
    assert_eq!(asked(&mock).len(), 1);
    client.run(&format!("SELECT kb_provider_grant('mock', '{owner}')"));
    wait_until_idle(&mut client);
    assert_eq!(asked(&mock).len(), 2);
}

/// A prompt of another role does not decide what is written into documents; one of the owner does.
#[test]
fn prompts_of_other_roles_do_not_count() {
    let (database, mut client, mock) = start();
    chats(&mock, reply("Short.\n---\nLonger."));
    let stranger = database.create_owner("summaries");
    database.connect_as(&stranger).run("SELECT kb_prompt_set('kb_summary', 'Praise me.')");
    client.run(
        "SELECT kb_configure('notes', summaries => 'mock/chat');
         SELECT kb_add('notes', 'A text.', source_key => 'one')",
    );
    wait_until_idle(&mut client);
    assert!(!asked(&mock)[0].contains("Praise me.") && asked(&mock)[0].contains("You write summaries"));
    client.run(
        "UPDATE kb_rag.prompt SET owner = 'postgres';
         SELECT kb_add('notes', 'Another text.', source_key => 'two')",
    );
    wait_until_idle(&mut client);
    let last = asked(&mock).last().unwrap().clone();
    assert!(last.contains("Praise me.") && last.contains("three hyphens"), "{last}");
}

/// Rows of an attached table: its refreshes and updates keep what was made and what a user wrote.
#[test]
fn documents_of_an_attached_table_keep_their_texts() {
    let (_database, mut client, mock) = start();
    chats(&mock, reply("Short.\n---\nLonger."));
    client.run(
        "CREATE TABLE item (id int PRIMARY KEY, body text, tag text);
         INSERT INTO item VALUES (1, 'The first.', 'a'), (2, 'The second.', 'a');
         SELECT kb_attach('item', 'notes', 'body', metadata => '{tag}');
         SELECT kb_configure('notes', summaries => 'mock/chat')",
    );
    wait_until_idle(&mut client);
    assert_eq!(texts(&mut client, "1"), "Short. Longer. mock/chat:ao");
    client.run(
        "UPDATE kb_notes.document SET abstract = 'Mine.' WHERE source_key = '2';
         UPDATE item SET tag = 'b'; SELECT kb_reconcile('notes')",
    );
    wait_until_idle(&mut client);
    assert_eq!(asked(&mock).len(), 2);
    client.run("UPDATE item SET body = body || ' More.'");
    wait_until_idle(&mut client);
    assert_eq!(asked(&mock).len(), 4);
    assert_eq!(texts(&mut client, "1"), "Short. Longer. mock/chat:ao");
    assert_eq!(texts(&mut client, "2"), "Mine. Longer. mock/chat:o");
}

/// Marks are seen as their documents are, and go with a dump of the schema.
#[test]
fn marks_follow_their_documents() {
    let (database, mut client, mock) = start();
    chats(&mock, reply("Short.\n---\nLonger."));
    let reader = database.create_role("summaries");
    client.run(&format!(
        "SELECT kb_grant('notes', '{reader}', 'read');
         SELECT kb_configure('notes', summaries => 'mock/chat');
         SELECT kb_add('notes', 'Open.', source_key => 'open'), kb_add('notes', 'Hidden.', source_key => 'hidden');
         ALTER TABLE kb_notes.document ENABLE ROW LEVEL SECURITY;
         CREATE POLICY p ON kb_notes.document USING (source_key = 'open')"
    ));
    wait_until_idle(&mut client);
    let count = "SELECT count(*) FROM kb_notes.summary";
    assert_eq!(client.value::<i64>(count, &[]), 2);
    let mut session = database.connect_as(&reader);
    assert_eq!(session.value::<i64>(count, &[]), 1);
    assert_eq!(sqlstate(&session.execute("DELETE FROM kb_notes.summary", &[])), "42501");
    client.run(&format!(
        "SELECT kb_revoke('notes', '{reader}', 'read'), kb_grant('notes', '{reader}', 'read')"
    ));
    assert_eq!(session.value::<i64>(count, &[]), 1);

    let copy = Database::bare("");
    client.run("ALTER TABLE kb_notes.document DISABLE ROW LEVEL SECURITY");
    dump_and_restore(&database, &copy);
    let mut restored = copy.connect();
    assert_eq!(texts(&mut restored, "open"), "Short. Longer. mock/chat:ao");
    let setting: String = restored.value("SELECT summaries FROM kb_list()", &[]);
    assert_eq!(setting, "mock/chat");
    restored.run("SELECT kb_rename('notes', 'renamed'); SELECT kb_drop('renamed')");

    client
        .run("DELETE FROM kb_rag.knowledge_base; SELECT kb_adopt('kb_notes'); SELECT kb_reconcile('notes')");
    assert_eq!(client.value::<String>("SELECT summaries FROM kb_list()", &[]), "mock/chat");
    client.run("DELETE FROM kb_notes.document WHERE source_key = 'open'");
    assert_eq!(client.value::<i64>(count, &[]), 1);
    client.run("SELECT kb_drop('notes')");
}
