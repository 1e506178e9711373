//! The program, as the server talks to it: all that it is asked for is read behind the sandbox.
#![allow(clippy::unwrap_used)] // helpers of tests fail their test

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use kb_rag_core::extract_protocol::{Failure, Frames, Hello, Message, PROTOCOL, Request, Task, frame};

/// Has the program read a file; what it sends after its greeting.
fn ask(task: Task, mime_type: Option<&str>, file: &[u8]) -> Vec<Message> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kb-rag-extract"))
        .args(["--serve", &std::process::id().to_string()])
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let request = Request {
        length: file.len() as u64,
        filename: None,
        mime_type: mime_type.map(str::to_owned),
        password: None,
        memory: 1 << 30,
        cpu_seconds: 60,
        task,
    };
    let mut input = child.stdin.take().unwrap();
    let bytes = [frame(&request).unwrap(), file.to_vec()].concat();
    let sending = std::thread::spawn(move || input.write_all(&bytes));
    let mut output = Vec::new();
    child.stdout.take().unwrap().read_to_end(&mut output).unwrap();
    sending.join().unwrap().unwrap();
    assert!(child.wait().unwrap().success());
    let mut frames = Frames::default();
    frames.push(&output);
    let hello: Hello = frames.take().unwrap().unwrap();
    assert_eq!((hello.protocol, hello.version.as_str()), (PROTOCOL, env!("CARGO_PKG_VERSION")));
    // Where the kernel has it, the rest of this test is one of the sandbox.
    assert!(hello.sandbox.calls);
    let mut messages = Vec::new();
    while let Some(message) = frames.take().unwrap() {
        messages.push(message);
    }
    assert!(!frames.has_rest());
    messages
}

fn zip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, content) in files {
        let mut header = tar::Header::new_ustar();
        header.set_size(content.len() as u64);
        builder.append_data(&mut header, path, *content).unwrap();
    }
    zip(&builder.into_inner().unwrap())
}

#[test]
fn reads_texts_and_pages() {
    let page = b"<title>Tea</title><p>Leaves. <a href=/more>More</a>";
    let [Message::Begin(properties), Message::Page(text), Message::End] =
        &ask(Task::Text, Some("text/html"), page)[..]
    else {
        panic!("other messages")
    };
    assert_eq!((properties.title.as_deref(), &properties.web), (Some("Tea"), &None));
    let task = Task::Page { url: "https://example.org/".to_owned() };
    let [Message::Begin(properties), Message::Page(same), Message::End] =
        &ask(task.clone(), Some("text/html"), page)[..]
    else {
        panic!("other messages")
    };
    assert_eq!(same, text);
    assert_eq!(properties.web.as_ref().unwrap().links, ["https://example.org/more"]);
    let failure = Failure::Unsupported("a PNG image".to_owned());
    assert_eq!(ask(task, None, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), [Message::Failure(failure)]);
}

#[test]
fn reads_sitemaps() {
    let task = Task::Sitemap { url: "https://example.org/sitemap.xml.gz".to_owned() };
    let packed = zip(b"<urlset><url><loc>https://example.org/a</loc></url></urlset>");
    let [Message::Sitemap(sitemap), Message::End] = &ask(task.clone(), None, &packed)[..] else {
        panic!("other messages")
    };
    assert!(sitemap.pages == ["https://example.org/a"] && sitemap.complete);
    assert!(matches!(ask(task, None, b"<html>")[..], [Message::Failure(Failure::Damaged(_))]));
}

#[test]
fn reads_archives() {
    let large = vec![b'a'; (2 << 20) + 1];
    let archive = tar(&[
        ("r/a.md", b"# A"),
        ("r/b.rs", b"b"),
        ("r/c.txt", &large),
        ("r/d.txt", b"d"),
        ("r/e.md", b"e"),
    ]);
    let task = |max_files, max_bytes| Task::Archive { path: None, max_files, max_bytes };
    let messages = ask(task(2, 10 << 20), None, &archive);
    let [
        Message::File(a),
        Message::Begin(properties),
        Message::Page(text),
        Message::File(c),
        Message::Begin(_),
        Message::Page(failed),
        Message::More(2),
        Message::End,
    ] = &messages[..]
    else {
        panic!("{messages:?}")
    };
    assert_eq!((a.as_str(), c.as_str()), ("a.md", "c.txt"));
    assert_eq!((properties.title.as_deref(), text.content.as_str()), (Some("A"), "# A"));
    assert_eq!(failed.error.as_deref(), Some("it is larger than 2 MB"));
    assert_eq!(ask(task(10, 10 << 20), None, &archive).len(), 4 * 3 + 1);
    let messages = ask(task(10, 3000), None, &archive);
    assert!(matches!(messages[..], [.., Message::Failure(Failure::Limit(_))]), "{messages:?}");
}
