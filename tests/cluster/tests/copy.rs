//! COPY from a driver, as bulk loaders use it.

use std::io::Write;

use kb_rag_cluster_tests::{Database, Session, assert_consistent, counts, sqlstate};
use postgres::binary_copy::BinaryCopyInWriter;
use postgres::types::Type;
use serde_json::json;

const ROWS: usize = 400;

/// Text that a careless loader or parser would corrupt.
fn content(n: usize) -> String {
    let difficult = [
        "tab\there",
        "a \"quoted\" and an 'apostrophed' word",
        "line one\nline two\r\nline three",
        "back\\slash, \\N, \\. and \\t as text",
        "Größe 👩‍👩‍👧 naïve 東京。京都。",
        "\u{202e}right to left\u{202c} and e\u{301}",
        "comma, semicolon; dollar $1 {brace} %s",
    ][n % 7];
    format!("Row {n}: {difficult}. {}", "More of it follows. ".repeat(n % 15))
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

#[test]
fn text_format_keeps_every_character() {
    let (_database, mut client) = Database::with_base("bulk");
    let mut copy = client.copy_in("COPY kb_bulk.document (source_key, content) FROM STDIN").unwrap();
    for n in 0..ROWS {
        writeln!(copy, "{n}\t{}", escaped(&content(n))).unwrap();
    }
    assert_eq!(copy.finish().unwrap(), ROWS as u64);
    check(&mut client);
}

#[test]
fn binary_format_keeps_every_character() {
    let (_database, mut client) = Database::with_base("bulk");
    let copy = client
        .copy_in("COPY kb_bulk.document (source_key, title, content, metadata) FROM STDIN (FORMAT binary)")
        .unwrap();
    let mut writer = BinaryCopyInWriter::new(copy, &[Type::TEXT, Type::TEXT, Type::TEXT, Type::JSONB]);
    for n in 0..ROWS {
        let title = (n % 3 == 0).then(|| format!("Title\t{n}"));
        writer.write(&[&n.to_string(), &title, &content(n), &json!({"n": n, "text": content(n)})]).unwrap();
    }
    assert_eq!(writer.finish().unwrap(), ROWS as u64);
    check(&mut client);
    let matching: i64 = client.value(
        "SELECT count(DISTINCT d.id) FROM kb_bulk.document d JOIN kb_bulk.chunk c ON c.document_id = d.id
         WHERE c.metadata @> d.metadata AND c.metadata->>'title' IS NOT DISTINCT FROM d.title",
        &[],
    );
    assert_eq!(matching, ROWS as i64, "documents with intact metadata");
}

fn check(client: &mut postgres::Client) {
    for (n, stored) in client
        .column::<String>("SELECT content FROM kb_bulk.document ORDER BY source_key::int", &[])
        .into_iter()
        .enumerate()
    {
        assert_eq!(stored, content(n));
    }
    let [documents, chunks, vectors] = counts(client, "kb_bulk");
    assert_eq!(documents, ROWS as i64);
    assert!(chunks > documents, "several chunks for the longer texts");
    assert_eq!(chunks, vectors);
    assert_consistent(client, "bulk", "kb_bulk");
}

#[test]
fn a_copy_that_fails_midway_leaves_nothing() {
    let (_database, mut client) = Database::with_base("bulk");
    client.run("INSERT INTO kb_bulk.document (content) VALUES ('There before.')");
    // The last row is invalid: too few columns, not an object, invalid UTF-8, a duplicate key.
    let bad: [(&[u8], &str); 4] = [
        (b"only one column\n", "22P04"),
        (b"k\ttext\t[1]\n", "23514"),
        (b"k\tbroken \xff text\t{}\n", "22021"),
        (b"17\tthe key of another row\t{}\n", "23505"),
    ];
    for (row, state) in bad {
        let mut copy =
            client.copy_in("COPY kb_bulk.document (source_key, content, metadata) FROM STDIN").unwrap();
        for n in 0..ROWS {
            writeln!(copy, "{n}\t{}\t{{}}", escaped(&content(n))).unwrap();
        }
        // The server may reject the row while the driver is still writing.
        let result = match copy.write_all(row) {
            Ok(()) => copy.finish(),
            Err(_) => copy.finish(),
        };
        assert_eq!(sqlstate(&result), state);
        assert_eq!(counts(&mut client, "kb_bulk"), [1, 1, 1], "after {state}");
    }
    // A client that stops: the driver tells the server when the writer is dropped.
    let mut copy = client.copy_in("COPY kb_bulk.document (content) FROM STDIN").unwrap();
    copy.write_all(b"never finished\n").unwrap();
    drop(copy);
    assert_eq!(counts(&mut client, "kb_bulk"), [1, 1, 1], "after an aborted copy");
    assert_consistent(&mut client, "bulk", "kb_bulk");
}
