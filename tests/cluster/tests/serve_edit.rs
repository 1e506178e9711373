//! `kb-rag serve`: changing a document.

use std::io::Write;

use kb_rag_cluster_tests::client::Folder;
use kb_rag_cluster_tests::http::answer;
use kb_rag_cluster_tests::serve::Serve;
use kb_rag_cluster_tests::{Session, wait_until};
use postgres::Client;
use serde_json::json;

use crate::serve::{base, texts};

fn id_of(client: &mut Client, title: &str) -> String {
    client.value("SELECT id::text FROM kb_notes.document WHERE title = $1", &[&title])
}

#[test]
fn a_document_is_changed() {
    let (database, mut client, reader, writer) = base();
    let stranger = database.create_role("stranger");
    let served = Serve::with_roles(&database, &[&reader, &writer, &stranger], &[]);
    let path = format!("/api/v1/documents/{}", id_of(&mut client, "Kowari"));
    let edit = |role: &str, body| served.patch(role, &path, body);
    edit(&reader, json!({"title": "a"})).refuses(403, "permission denied");
    edit(&stranger, json!({"title": "a"})).refuses(404, "does not exist");
    let before = served.get(&reader, &path).is(200);
    let after = edit(
        &writer,
        json!({"title": "Kowaris", "text": "Kowaris eat spiders.", "abstract": "Food.",
        "overview": "What they eat.", "metadata": {"zoo": 2}}),
    )
    .is(200);
    for (name, value) in [
        ("title", json!("Kowaris")),
        ("text", json!("Kowaris eat spiders.")),
        ("abstract", json!("Food.")),
        ("overview", json!("What they eat.")),
        ("metadata", json!({"zoo": 2})),
        ("source", json!("kowari.md")),
        ("document_id", before["document_id"].clone()),
        ("created_at", before["created_at"].clone()),
    ] {
        assert_eq!(after[name], value, "{name}: {after}");
    }
    assert_ne!(after["updated_at"], before["updated_at"]);
    assert_eq!(served.get(&reader, &path).is(200), after);
    let search = json!({"query": "spiders", "mode": "keyword"});
    let found = served.post(&reader, "/api/v1/search", search).is(200);
    assert_eq!(texts(&found["results"], "content"), ["Kowaris eat spiders."]);
    // Arguments that are left out keep what is there, and an empty text removes it.
    let after =
        edit(&writer, json!({"title": "", "abstract": "", "text": null, "knowledge_base": "notes"})).is(200);
    assert_eq!((&after["title"], &after["abstract"]), (&json!(null), &json!("Kowaris eat spiders.")));
    assert_eq!((&after["overview"], &after["metadata"]), (&json!("What they eat."), &json!({"zoo": 2})));
    for (body, said) in [
        (json!({}), "nothing to change"),
        (json!({"text": " "}), "\"text\" must not be empty"),
        (json!({"title": 1}), "\"title\" must be a string"),
        (json!({"metadata": []}), "must be a JSON object"),
        (json!({"content": "a"}), "unknown argument \"content\""),
        (json!({"title": "a", "source_key": "b"}), "unknown argument \"source_key\""),
    ] {
        edit(&writer, body).refuses(400, said);
    }
    edit(&writer, json!({"title": "a", "knowledge_base": "none"})).refuses(404, "does not exist");
    let none = "/api/v1/documents/00000000-0000-0000-0000-000000000000";
    served.patch(&writer, none, json!({"title": "a"})).refuses(404, "does not exist");
    // From a web page that may call.
    let preflight = Serve::start(&database, &writer, &["--allow-origin", "https://app.example"], &[]);
    let asked = preflight.send("OPTIONS", &path, &[("Origin", "https://app.example")], b"");
    assert!(asked.head.contains("patch") && asked.head.contains("if-match"), "{asked:?}");
}

#[test]
fn changes_of_others_are_not_overwritten() {
    let (database, mut client, _, writer) = base();
    let served = Serve::with_roles(&database, &[&writer], &[]);
    let path = format!("/api/v1/documents/{}", id_of(&mut client, "Kowari"));
    let updated = || served.get(&writer, &path).is(200)["updated_at"].as_str().unwrap().to_string();
    let edit = |state: &str, title: &str| {
        served.call_with(
            &writer,
            "PATCH",
            &path,
            &[("If-Match", state)],
            &json!({"title": title}).to_string(),
        )
    };
    let first = updated();
    edit(&format!("\"{first}\""), "First").is(200);
    edit(&first, "Second").refuses(412, "was changed after it was read");
    assert_eq!(served.get(&writer, &path).is(200)["title"], "First");
    edit(&updated(), "Second").is(200);
    edit("*", "Third").is(200);
    edit("\"yesterday's\"", "Fourth").refuses(400, "yesterday's");
    assert_eq!(served.get(&writer, &path).is(200)["title"], "Third");

    // Another writer has the row while the request compares.
    let state = updated();
    let mut holder = database.connect();
    let mut transaction = holder.transaction().unwrap();
    transaction.run("UPDATE kb_notes.document SET title = 'Theirs' WHERE title = 'Third'");
    let mut waiting = served.connect();
    let body = json!({"title": "Ours"}).to_string();
    write!(
        waiting,
        "PATCH {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {writer}-token\r\nIf-Match: {state}\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    wait_until("the request waits for the row", || {
        client.value(
            "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%FOR NO KEY UPDATE%' \
             AND datname = current_database())",
            &[],
        )
    });
    transaction.commit().unwrap();
    answer(&mut waiting).refuses(412, "was changed after it was read");
    assert_eq!(served.get(&writer, &path).is(200)["title"], "Theirs");
}

/// What a source feeds would be as before after the next sync.
#[test]
fn a_document_of_a_source_is_changed_there() {
    let (database, mut client, _, writer) = base();
    let folder = Folder::with(&[("a.md", "The quoll is spotted.")]);
    let root = folder.path().to_str().unwrap();
    client.run(
        "CREATE TABLE animal (id int PRIMARY KEY, name text);
         INSERT INTO animal VALUES (1, 'The numbat eats termites.');
         SELECT kb_attach('animal', 'notes', 'name', wait => true);
         INSERT INTO kb_notes.source (kind, location) VALUES ('url', 'https://kb-rag.invalid/a');
         INSERT INTO kb_notes.document (source_id, source_type, source_key, title, content)
            SELECT id, 'webpage', location, 'Page', 'The dibbler is small.' FROM kb_notes.source WHERE kind = 'url'",
    );
    let served = Serve::with_roles(&database, &[&writer], &["--root", root, "--base", "notes"]);
    served.post(&writer, "/api/knowledge/index", json!({"path": "a.md"})).is(200);
    let mut of = |condition: &str| -> String {
        client.value(
            &format!("SELECT '/api/v1/documents/' || id FROM kb_notes.document WHERE {condition}"),
            &[],
        )
    };
    let (row, page, file, own) = (
        of("source_type = 'table'"),
        of("title = 'Page'"),
        of("source_key = 'a.md'"),
        of("title = 'Kowari'"),
    );
    let edit = |path: &str| served.patch(&writer, path, json!({"text": "Mine."}));
    for (path, said) in [
        (&row, "comes from table \"public.animal\""),
        (&page, "comes from URL \"https://kb-rag.invalid/a\""),
        (&file, "comes from folder"),
    ] {
        edit(path).refuses(409, said);
        assert_ne!(served.get(&writer, path).is(200)["text"], "Mine.");
    }
    edit(&own).is(200);
    // Nothing feeds it any more.
    client.run("SELECT kb_detach('animal', 'notes')");
    assert_eq!(edit(&row).is(200)["text"], "Mine.");
}

/// A document is deleted only as it was read. A condition that is given twice, or that nobody checks, is refused.
#[test]
fn what_others_changed_is_not_deleted() {
    let (database, mut client, reader, writer) = base();
    let served = Serve::with_roles(&database, &[&reader, &writer], &[]);
    for api in ["/api/v1/documents", "/api/knowledge"] {
        let id: String = client.value("SELECT kb_add('notes', 'The quoll is spotted.')::text", &[]);
        let path = format!("{api}/{id}");
        let read = format!("/api/v1/documents/{id}");
        let updated = || served.get(&writer, &read).is(200)["updated_at"].as_str().unwrap().to_string();
        let delete = |role: &str, states: &[&str]| {
            let headers: Vec<(&str, &str)> = states.iter().map(|state| ("If-Match", *state)).collect();
            served.call_with(role, "DELETE", &path, &headers, "")
        };
        let first = updated();
        served.patch(&writer, &read, json!({"title": "Theirs"})).is(200);
        delete(&writer, &[&format!("\"{first}\"")]).refuses(412, "was changed after it was read");
        delete(&writer, &["yesterday's"]).refuses(400, "yesterday");
        let now = updated();
        delete(&writer, &[&now, &now]).refuses(400, "If-Match is given twice");
        delete(&reader, &[&now]).refuses(403, "permission denied");
        assert_eq!(served.get(&writer, &read).is(200)["title"], "Theirs");
        delete(&writer, &[&now]).is(204);
        delete(&writer, &[&now]).refuses(404, "does not exist");
    }
    let kowari = format!("/api/v1/documents/{}", id_of(&mut client, "Kowari"));
    let title = json!({"title": "a"}).to_string();
    let twice = [("If-Match", "*"), ("If-Match", "*")];
    served.call_with(&writer, "PATCH", &kowari, &twice, &title).refuses(400, "If-Match is given twice");
    for (method, path) in [
        ("DELETE", "/api/v1/sources/00000000-0000-0000-0000-000000000000"),
        ("DELETE", "/api/v1/bases/notes?confirm=notes"),
        ("PATCH", "/api/v1/bases/notes"),
    ] {
        let refused = served.call_with(&writer, method, path, &[("If-Match", "\"a\"")], "");
        refused.refuses(400, "If-Match is not checked here");
    }
    served.call_with(&writer, "DELETE", &kowari, &[("If-Match", "*")], "").is(204);
}

/// Texts of any length that a request may have are kept whole, or refused.
#[test]
fn long_texts_are_kept_or_refused() {
    let (database, mut client, _, writer) = base();
    let served = Serve::with_roles(&database, &[&writer], &[]);
    let path = format!("/api/v1/documents/{}", id_of(&mut client, "Kowari"));
    let before = served.get(&writer, &path).is(200);
    // No two words are the same.
    let long: String = (0..800_000u64).map(|n| format!("w{n:06x}{:04x} ", n * 7919 % 65_521)).collect();
    for name in ["abstract", "overview"] {
        let changed = served.patch(&writer, &path, json!({name: &long[..2_000_000]})).is(200);
        assert!(changed[name].as_str() == Some(&long[..2_000_000]), "{name}");
    }
    let metadata = json!({"long": &long[..2_000_000]});
    assert!(served.patch(&writer, &path, json!({"metadata": metadata})).is(200)["metadata"] == metadata);
    let changed = served.patch(&writer, &path, json!({"title": long}));
    match changed.status {
        200 => assert!(changed.json()["title"].as_str() == Some(&long)),
        status => {
            assert!(matches!(status, 400 | 413), "{status} {}", &changed.body[..300.min(changed.body.len())])
        }
    }
    assert_eq!(served.get(&writer, &path).is(200)["text"], before["text"]);
    for name in ["title", "text", "abstract", "overview"] {
        served.patch(&writer, &path, json!({name: "x".repeat(17 << 20)})).refuses(413, "too large");
    }
}

/// Where a policy hides the source, the document is still of one.
#[test]
fn a_hidden_source_keeps_its_documents() {
    let (database, mut client, _, writer) = base();
    client.run(
        "INSERT INTO kb_notes.source (kind, location) VALUES ('url', 'https://kb-rag.invalid/a');
         INSERT INTO kb_notes.document (source_id, source_key, title, content)
            SELECT id, location, 'Page', 'The dibbler is small.' FROM kb_notes.source",
    );
    let served = Serve::with_roles(&database, &[&writer], &[]);
    let path = |title: &str, client: &mut Client| format!("/api/v1/documents/{}", id_of(client, title));
    let (page, own) = (path("Page", &mut client), path("Kowari", &mut client));
    let edit = |path: &str| served.patch(&writer, path, json!({"abstract": "Mine."}));
    edit(&page).refuses(409, "comes from URL \"https://kb-rag.invalid/a\"");
    client.run(
        "ALTER TABLE kb_notes.source ENABLE ROW LEVEL SECURITY;
         CREATE POLICY not_all ON kb_notes.source USING (location NOT LIKE '%invalid%')",
    );
    let refused = edit(&page);
    refused.refuses(409, "comes from a source that row security hides");
    assert!(!refused.body.contains("invalid"), "{refused:?}");
    assert_eq!(edit(&own).is(200)["abstract"], "Mine.");
    client.run("ALTER POLICY not_all ON kb_notes.source USING (true)");
    edit(&page).refuses(409, "comes from URL");
    client.run("UPDATE kb_notes.source SET status = 'detached'");
    assert_eq!(edit(&page).is(200)["abstract"], "Mine.");
}

#[test]
fn row_security_decides_what_is_changed() {
    let (database, mut client, _, writer) = base();
    client.run(
        "ALTER TABLE kb_notes.document ENABLE ROW LEVEL SECURITY;
         CREATE POLICY zoo ON kb_notes.document USING (metadata ->> 'zoo' = '1')",
    );
    let served = Serve::with_roles(&database, &[&writer], &[]);
    let path = |id: String| format!("/api/v1/documents/{id}");
    let seen = path(id_of(&mut client, "Kowari"));
    let hidden = path(client.value("SELECT id::text FROM kb_notes.document WHERE source_type = 'code'", &[]));
    served.patch(&writer, &hidden, json!({"title": "Mine"})).refuses(404, "does not exist");
    served.patch(&writer, &seen, json!({"metadata": {"zoo": 2}})).refuses(403, "row-level security");
    assert_eq!(served.patch(&writer, &seen, json!({"title": "Mine"})).is(200)["metadata"], json!({"zoo": 1}));
    let titles: i64 = client.value("SELECT count(*) FROM kb_notes.document WHERE title = 'Mine'", &[]);
    assert_eq!(titles, 1);
}
