//! `kb-rag serve`: files of a form.

use std::io::Write;
use std::net::Shutdown;

use kb_rag_cluster_tests::Database;
use kb_rag_cluster_tests::http::{Answer, answer};
use kb_rag_cluster_tests::serve::Serve;
use postgres::Client;
use serde_json::{Value, json};

use crate::serve::{base, texts};

const PATH: &str = "/api/v1/files";
const KIND: &str = "multipart/form-data; boundary=XX";

fn field(name: &str, value: &str) -> String {
    format!("--XX\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
}

fn file(name: &str, content: &str) -> String {
    format!(
        "--XX\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\nContent-Type: text/markdown\r\n\r\n{content}\r\n"
    )
}

fn served() -> (Database, Client, Serve, [String; 2]) {
    let (database, client, reader, writer) = base();
    let served = Serve::with_roles(&database, &[&reader, &writer], &["--max-upload", "10kB"]);
    (database, client, served, [reader, writer])
}

fn send(served: &Serve, role: &str, parts: &[String]) -> Answer {
    let body = format!("{}--XX--\r\n", parts.concat());
    served.call_with(role, "POST", PATH, &[("Content-Type", KIND)], &body)
}

/// The keys of the documents of forms.
fn keys(served: &Serve, role: &str) -> Vec<String> {
    let listed = served.get(role, "/api/v1/documents?match_count=1000").is(200);
    let mut keys = texts(&listed, "source");
    keys.retain(|key| key.ends_with(".md") && key != "kowari.md");
    keys.sort();
    keys
}

#[test]
fn files_of_a_form_are_added() {
    let (_database, _client, served, [reader, writer]) = served();
    let base = field("knowledge_base", "notes");
    let added = send(
        &served,
        &writer,
        &[
            base.clone(),
            field("source_type", "guide"),
            field("metadata", r#"{"zoo": 7}"#),
            file("a.md", "# Quoll\r\n--XXX\r\n--X\r\nThe quoll is spotted."),
            file("../../etc/b.md", "Bilbies dig."),
            file("C:\\docs\\na\u{ef}ve %22c%22.md", "Numbats eat termites."),
            // A browser's answer for no file.
            file("", ""),
        ],
    )
    .is(201);
    assert_eq!(texts(&added, "filename"), ["a.md", "b.md", "na\u{ef}ve \"c\".md"]);
    for entry in added.as_array().unwrap() {
        assert_eq!(entry["notices"], json!([]), "{entry}");
        let id = entry["document_id"].as_str().unwrap();
        let read = served.get(&reader, &format!("/api/v1/documents/{id}")).is(200);
        assert_eq!(
            (&read["source"], &read["source_type"], &read["metadata"]["zoo"]),
            (&entry["filename"], &json!("guide"), &json!(7))
        );
    }
    let id = added[0]["document_id"].as_str().unwrap();
    let text = served.get(&reader, &format!("/api/v1/documents/{id}")).is(200)["text"].to_string();
    assert!(text.contains("--XXX") && text.ends_with("The quoll is spotted.\""), "{text}");

    // The same file is the same document. Arguments may be in the query string.
    let path = format!("{PATH}?knowledge_base=notes&source_type=guide&source_key=a.md&title=Again");
    let body = format!("{}--XX--", file("other.md", "The quoll has spots."));
    let again = served.call_with(&writer, "POST", &path, &[("Content-Type", KIND)], &body).is(201);
    assert_eq!(again[0]["document_id"], added[0]["document_id"]);
    assert_eq!(served.get(&reader, &format!("/api/v1/documents/{id}")).is(200)["title"], "Again");

    // In pieces without a length.
    let mut stream = served.connect();
    let body = format!("{base}{}--XX--\r\n", file("pieces.md", "Dunnarts hunt."));
    write!(
        stream,
        "POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {writer}-token\r\nContent-Type: {KIND}\r\n\
         Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    for piece in body.as_bytes().chunks(7) {
        stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes()).unwrap();
        stream.write_all(&[piece, b"\r\n"].concat()).unwrap();
    }
    stream.write_all(b"0\r\n\r\n").unwrap();
    assert_eq!(texts(&answer(&mut stream).json(), "filename"), ["pieces.md"]);
}

#[test]
fn one_bad_file_does_not_undo_the_others() {
    let (_database, _client, served, [reader, writer]) = served();
    let base = field("knowledge_base", "notes");
    let entries = send(
        &served,
        &writer,
        &[
            base.clone(),
            file("a.md", "Quolls."),
            file("broken.pdf", "no pdf"),
            file("large.md", &"x".repeat(10_001)),
            file("a\0b.md", "NUL"),
            file("a.md", "Twice."),
            file("", "No name."),
            file("z.md", &"y".repeat(10_000)),
        ],
    )
    .is(207);
    let entries = entries.as_array().unwrap();
    let said = |at: usize, name: &str, status: u16, code: Value, error: &str| {
        let entry = &entries[at];
        assert_eq!(
            (&entry["filename"], &entry["status"], &entry["code"]),
            (&json!(name), &json!(status), &code),
            "{entry}"
        );
        assert!(entry["error"].as_str().unwrap().contains(error), "{entry}");
        assert!(entry.get("document_id").is_none(), "{entry}");
    };
    assert_eq!(entries.len(), 7);
    assert!(entries[0]["document_id"].is_string() && entries[6]["document_id"].is_string(), "{entries:?}");
    said(1, "broken.pdf", 400, entries[1]["code"].clone(), "damaged");
    assert!(entries[1]["code"].is_string(), "{entries:?}");
    said(2, "large.md", 413, json!("54000"), "the file is too large");
    assert!(entries[2]["hint"].as_str().unwrap().contains("10000"), "{entries:?}");
    said(3, "a\0b.md", 400, Value::Null, "NUL");
    said(4, "a.md", 409, Value::Null, "another file with the key \"a.md\"");
    said(5, "", 400, Value::Null, "\"filename\" is required");
    assert_eq!(keys(&served, &reader), ["a.md", "z.md"]);

    // One who may not write, and a base that is not there: each file says so.
    let refused = send(&served, &reader, &[base, file("r.md", "No.")]).is(207);
    assert_eq!((&refused[0]["status"], &refused[0]["code"]), (&json!(403), &json!("42501")));
    let refused = send(&served, &writer, &[field("knowledge_base", "none"), file("r.md", "No.")]).is(207);
    assert_eq!(refused[0]["status"], 404);
    assert_eq!(keys(&served, &reader), ["a.md", "z.md"]);
}

#[test]
fn forms_that_are_none() {
    let (_database, _client, served, [reader, writer]) = served();
    let base = field("knowledge_base", "notes");
    let one = file("one.md", "One.");
    let no_name = "--XX\r\nContent-Disposition: form-data; filename=\"a.md\"\r\n\r\na\r\n".to_string();
    for (parts, status, said) in [
        (vec![], 400, "the form has no file"),
        (vec![base.clone()], 400, "the form has no file"),
        (vec![one.clone()], 400, "\"knowledge_base\" is required"),
        (vec![base.clone(), base.clone(), one.clone()], 400, "\"knowledge_base\" is given twice"),
        (
            vec![base.clone(), field("knowledgeBase", "a"), one.clone()],
            400,
            "unknown argument \"knowledgeBase\"",
        ),
        (vec![base.clone(), no_name.clone()], 400, "has no name"),
        (vec!["--XX\r\n\r\n\r\n".to_string()], 400, "no header Content-Disposition"),
        (vec![field("title", &"x".repeat((1 << 20) + 1))], 413, "the form is too large"),
        (vec![base.clone(), field("title", "").repeat(2)], 400, "\"title\" is given twice"),
        (vec![base.clone(), file("", "").repeat(200)], 413, "more than 200 parts"),
    ] {
        let refused = send(&served, &writer, &parts);
        refused.refuses(status, said);
    }
    let post =
        |kind: &str, body: &str| served.call_with(&writer, "POST", PATH, &[("Content-Type", kind)], body);
    let body = format!("{base}{one}");
    post("multipart/form-data", &body).refuses(400, "no boundary");
    post(&format!("multipart/form-data; boundary={}", "x".repeat(71)), &body).refuses(400, "the boundary");
    post("multipart/mixed; boundary=XX", &body).refuses(415, "forms with parts");
    post(KIND, "").refuses(400, "before its last boundary");
    served
        .call_with(&writer, "POST", "/api/v1/documents", &[("Content-Type", KIND)], &body)
        .refuses(415, "forms with parts");
    served.send("POST", PATH, &[("Content-Type", KIND)], body.as_bytes()).refuses(401, "token");
    assert_eq!(keys(&served, &reader), Vec::<String>::new());

    // What was added before stays, and the last entry says why no more came.
    let cut = |name: &str, rest: &str, said: &str| {
        let body = format!("{base}{}{rest}", file(name, "Before."));
        let entries = post(KIND, &body).is(207);
        assert_eq!((entries.as_array().unwrap().len(), &entries[0]["filename"]), (2, &json!(name)));
        assert!(entries[0]["document_id"].is_string(), "{entries}");
        assert!(entries[1]["error"].as_str().unwrap().contains(said), "{entries}");
        assert!(entries[1].get("filename").is_none(), "{entries}");
    };
    // A file whose end has not come is none.
    for rest in ["", "--X", "--XX-"] {
        post(KIND, &format!("{base}{one}{rest}")).refuses(400, "before its last boundary");
    }
    cut("b1.md", "--XX\r\n", "before its last boundary");
    cut("b2.md", "--XX\r\nContent-Disposition: form-data", "before its last boundary");
    cut("b3.md", &one[..one.len() - 3], "before its last boundary");
    cut("b4.md", &no_name, "has no name");
    cut("b5.md", &field("title", "Late"), "\"title\" comes behind a file");
    assert_eq!(keys(&served, &reader), ["b1.md", "b2.md", "b3.md", "b4.md", "b5.md"]);

    // Ten files of the largest size: one with a length is refused at once, one without where it is too much.
    let large = format!(
        "{base}{}{}--XX--",
        file("b6.md", "Before."),
        file("large.md", &"x".repeat(9_000)).repeat(11)
    );
    post(KIND, &large).refuses(413, "the form is too large");
    let mut stream = served.connect();
    write!(
        stream,
        "POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {writer}-token\r\nContent-Type: {KIND}\r\n\
         Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    for piece in large.as_bytes().chunks(1_000) {
        stream.write_all(&[format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat()).unwrap();
    }
    stream.write_all(b"0\r\n\r\n").unwrap();
    let last = answer(&mut stream).is(207);
    let last = last.as_array().unwrap().last().unwrap();
    assert_eq!((&last["status"], &last["error"]), (&json!(413), &json!("the form is too large")));
    assert!(keys(&served, &reader).contains(&"b6.md".to_string()));

    // A client that goes away in the middle of a file.
    let mut stream = served.connect();
    let body = format!("{base}{one}");
    write!(
        stream,
        "POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {writer}-token\r\nContent-Type: {KIND}\r\n\
         Content-Length: 5000\r\n\r\n{body}--XX\r\n"
    )
    .unwrap();
    stream.shutdown(Shutdown::Both).unwrap();
    drop(stream);
    served.get(&writer, "/api/v1/bases").is(200);
}

#[test]
fn a_form_has_a_hundred_files() {
    let (_database, _client, served, [reader, writer]) = served();
    let parts: Vec<String> = std::iter::once(field("knowledge_base", "notes"))
        .chain((0..101).map(|n| file(&format!("{n:03}.md"), "A file.")))
        .collect();
    let entries = send(&served, &writer, &parts).is(207);
    let entries = entries.as_array().unwrap();
    assert_eq!(entries.len(), 101);
    assert!(entries[..100].iter().all(|entry| entry["document_id"].is_string()));
    assert_eq!((&entries[100]["status"], &entries[100]["code"]), (&json!(413), &json!("54000")));
    assert!(entries[100]["error"].as_str().unwrap().contains("more than 100 files"));
    assert_eq!(keys(&served, &reader).len(), 100);
    assert_eq!(send(&served, &writer, &parts[..101]).is(201).as_array().unwrap().len(), 100);
}
