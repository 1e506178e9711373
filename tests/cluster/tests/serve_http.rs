//! `kb-rag serve`: who is let in, clients that are slow, broken or gone, and a database that goes away.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

use kb_rag_cluster_tests::client::{Folder, serve};
use kb_rag_cluster_tests::http::answer;
use kb_rag_cluster_tests::mcp::refused;
use kb_rag_cluster_tests::pipeline::Signal;
use kb_rag_cluster_tests::serve::Serve;
use kb_rag_cluster_tests::{Database, Session, socket_directory, wait_until};
use postgres::Client;
use serde_json::json;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

fn base() -> (Database, Client) {
    let (database, mut client) = Database::with_base("notes");
    client.run("SELECT kb_add('notes', 'The kowari eats insects at night.', title => 'Kowari')");
    (database, client)
}

#[test]
fn strangers_are_kept_out() {
    let (database, _client) = base();
    let open = Serve::start(&database, "postgres", &["--allow-origin", "https://app.example"], &[]);
    let own = format!("http://{}", open.address);
    for (headers, status) in [
        (vec![], 200),
        (vec![("Origin", own.as_str())], 200),
        (vec![("Origin", "http://localhost:3000")], 403),
        (vec![("Origin", "https://app.example")], 200),
        (vec![("Origin", "https://evil.example")], 403),
        (vec![("Origin", "null")], 403),
        // What a page of another site has its visitor's browser load.
        (vec![("Sec-Fetch-Site", "cross-site")], 403),
        (vec![("Sec-Fetch-Site", "same-origin")], 200),
        (vec![("Sec-Fetch-Site", "none")], 200),
        // A page that reaches this machine by a name of its own.
        (vec![("Host", "evil.example")], 403),
        (vec![("Host", "evil.example"), ("Origin", "http://evil.example")], 403),
    ] {
        assert_eq!(open.send("GET", "/api/v1/bases", &headers, b"").status, status, "{headers:?}");
    }
    // Or one of another port, from any endpoint but the page itself.
    let described = open.send("GET", "/api/v1/openapi.json", &[], b"").is(200);
    let paths = described["paths"].as_object().unwrap();
    assert!(paths.contains_key("/api/cron/sync-knowledge"));
    for (path, methods) in paths {
        for method in
            methods.as_object().unwrap().keys().map(|method| method.to_uppercase()).chain(["HEAD".into()])
        {
            for site in ["same-site", "cross-site"] {
                let status = open.send(&method, path, &[("Sec-Fetch-Site", site)], b"").status;
                assert_eq!(status == 403, path != "/", "{method} {path} {site}: {status}");
            }
        }
    }
    let preflight = |origin: &str| open.send("OPTIONS", "/api/v1/search", &[("Origin", origin)], b"");
    let allowed = preflight("https://app.example");
    assert!(
        allowed.status == 204 && allowed.head.contains("access-control-allow-origin: https://app.example"),
        "{allowed:?}"
    );
    assert!(!preflight("https://evil.example").head.contains("access-control-allow-origin"));

    let closed = Serve::start(&database, "postgres", &[], &[("KB_RAG_TOKEN", TOKEN)]);
    let with = |token: &str| closed.send("GET", "/api/v1/bases", &[("Authorization", token)], b"").status;
    assert_eq!((with(&format!("Bearer {TOKEN}")), with("Bearer x"), with(TOKEN)), (200, 401, 401));
    // By any name, since requests need the token.
    let headers = [("Host", "kb.example"), ("Authorization", &*format!("Bearer {TOKEN}"))];
    assert_eq!(closed.send("GET", "/api/v1/bases", &headers, b"").status, 200);
    let page = closed.send("GET", "/", &[("Sec-Fetch-Site", "cross-site")], b"");
    assert_eq!(page.status, 200);
    for header in [
        "content-security-policy: default-src 'none'; script-src 'sha256-",
        "x-content-type-options: nosniff",
        "x-frame-options: deny",
    ] {
        assert!(page.head.contains(header), "{}", page.head);
    }
    assert!(!page.body.contains(TOKEN));
}

#[test]
fn wrong_arguments_are_refused_at_once() {
    let (database, _client) = base();
    let command = |arguments: &[&str]| serve(&socket_directory(), database.name(), "postgres", arguments);
    let fails = |arguments: &[&str], said: &str| {
        let (status, errors) = refused(&mut command(arguments));
        assert_eq!(status, Some(2), "{errors}");
        assert!(errors.contains(said), "{errors}");
    };
    fails(&["--listen", "0.0.0.0:0"], "there is no token");
    fails(&["--tokens", "/nonexistent"], "cannot be read");
    fails(&["--root", "/nonexistent"], "--root");
    fails(&["--listen", "localhost"], "such as 127.0.0.1:8534");
    fails(&["--listen", "8534"], "such as 127.0.0.1:8534");
    let mut both = command(&["--tokens", "/nonexistent"]);
    let (status, errors) = refused(both.env("KB_RAG_TOKEN", TOKEN));
    assert!(status == Some(2) && errors.contains("KB_RAG_TOKEN"), "{errors}");
    let folder =
        Folder::with(&[("tokens", "# only a comment\n"), ("wrong", "abc kb_reader\n"), ("short", "short")]);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    fails(&["--tokens", &path("tokens")], "has no tokens");
    fails(&["--tokens", &path("wrong")], "line 1");
    fails(&["--token-file", &path("short")], "fewer than 16");
}

#[test]
fn slow_and_broken_clients_harm_nobody() {
    let (database, _client) = base();
    let served = Serve::start(&database, "postgres", &["--max-upload", "100kB"], &[]);
    let head = "POST /api/v1/search HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n{";
    let upload = "POST /api/v1/files?knowledge_base=notes&filename=a.txt HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 90000\r\n\r\nabc";
    let mut halves: Vec<TcpStream> = (0..600)
        .map(|n| {
            let mut stream = served.connect();
            stream.write_all(["", "GET /api", head, upload][n % 4].as_bytes()).unwrap();
            stream
        })
        .collect();
    let search = json!({"query": "kowari"}).to_string();
    assert_eq!(served.send("POST", "/api/v1/search", &[], search.as_bytes()).status, 200);
    // More than there are places: the oldest without complete headers made room.
    let mut end = Vec::new();
    halves[0].read_to_end(&mut end).ok();
    assert!(end.is_empty(), "{}", String::from_utf8_lossy(&end));
    let mut garbage = served.connect();
    garbage.write_all(&[0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3]).unwrap();
    garbage.write_all(&[b'\n'; 9000]).ok();
    let mut read = Vec::new();
    let _ = garbage.read_to_end(&mut read);
    assert!(read.starts_with(b"HTTP/1.1 400"), "{}", String::from_utf8_lossy(&read));
    // A body that ends early, and one without a length that is too large.
    let mut short = served.connect();
    short.write_all(upload.as_bytes()).unwrap();
    short.shutdown(Shutdown::Write).unwrap();
    let mut end = Vec::new();
    let _ = short.read_to_end(&mut end);
    let mut chunked = served.connect();
    let path = "/api/v1/files?knowledge_base=notes&filename=a.txt";
    write!(
        chunked,
        "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    for _ in 0..200 {
        let _ = write!(chunked, "400\r\n{}\r\n", "x".repeat(1024));
    }
    answer(&mut chunked).refuses(413, "too large");
    served.send("POST", path, &[], &vec![b'x'; 100_001]).refuses(413, "too large");
    served.send("POST", "/api/v1/search", &[], &vec![b' '; 17 << 20]).refuses(413, "too large");
    // As clients send what has no length yet.
    let mut good = served.connect();
    write!(
        good,
        "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n\
         5\r\nquoll\r\n4\r\n eat\r\n0\r\n\r\n"
    )
    .unwrap();
    answer(&mut good).is(201);
    // What is refused is read all the same, so that clients that send all first see the answer.
    let mut large = served.connect();
    write!(
        large,
        "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 8000000\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    large.write_all(&vec![b'x'; 8_000_000]).expect("all is read");
    answer(&mut large).refuses(413, "too large");
    // Before the arguments are made of it.
    served.send("POST", "/agent-search", &[], &vec![b' '; (1 << 20) + 1]).refuses(413, "too large");
    let form = [("Content-Type", "multipart/form-data; boundary=x")];
    served.send("POST", "/api/v1/search", &form, b"--x\r\n").refuses(415, "forms");
    served.send("POST", path, &form, b"--x\r\n").refuses(400, "before its last boundary");
    served.send("POST", path, &[], &vec![b'x'; 99_000]).is(201);
    drop(halves);
    assert_eq!(served.send("GET", "/api/v1/documents", &[], b"").is(200).as_array().unwrap().len(), 2);
}

/// Statements of the program that wait for a lock.
fn waiting(client: &mut Client, login: &str) -> i64 {
    client.value(
        "SELECT count(*) FROM pg_stat_activity WHERE usename = $1::text AND state = 'active' AND wait_event_type = 'Lock'",
        &[&login],
    )
}

#[test]
fn a_client_that_goes_away_ends_its_statement() {
    let (database, mut client) = base();
    let reader = database.create_role("reader");
    client.run(&format!("SELECT kb_grant('notes', '{reader}', 'write')"));
    let served = Serve::start(&database, &reader, &["--connections", "2"], &[]);
    let mut holder = database.connect();
    let mut lock = holder.transaction().unwrap();
    lock.run("LOCK TABLE kb_notes.document IN ACCESS EXCLUSIVE MODE");
    let mut gone = served.connect();
    let body = json!({"knowledge_base": "notes", "content": "lost"}).to_string();
    write!(
        gone,
        "POST /api/v1/documents HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    wait_until("the statement waits", || waiting(&mut client, &reader) == 1);
    drop(gone);
    wait_until("the statement has ended", || waiting(&mut client, &reader) == 0);
    lock.rollback().unwrap();
    // Nothing of it was done, and the connections serve others.
    for _ in 0..3 {
        assert_eq!(served.send("GET", "/api/v1/documents", &[], b"").is(200).as_array().unwrap().len(), 1);
    }
}

#[test]
fn a_busy_server_says_so_and_recovers() {
    let (database, mut client) = base();
    let reader = database.create_role("reader");
    client.run(&format!("SELECT kb_grant('notes', '{reader}', 'write')"));
    let served = Serve::start(&database, &reader, &["--connections", "1"], &[]);
    let mut holder = database.connect();
    let mut lock = holder.transaction().unwrap();
    lock.run("LOCK TABLE kb_notes.document IN ACCESS EXCLUSIVE MODE");
    let body = json!({"knowledge_base": "notes", "content": "first"}).to_string();
    let head = "POST /api/v1/documents HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close";
    let mut first = served.connect();
    write!(first, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    wait_until("the statement waits", || waiting(&mut client, &reader) == 1);
    // The only connection is in use for longer than others wait.
    assert_eq!(served.send("GET", "/api/v1/health", &[], b"").status, 200);
    let busy = served.send("GET", "/api/v1/documents", &[], b"");
    assert!(busy.head.contains("retry-after:"), "{busy:?}");
    busy.refuses(503, "too many requests");
    lock.rollback().unwrap();
    answer(&mut first).is(201);
    served.send("GET", "/api/v1/documents", &[], b"").is(200);
}

/// The role may have fewer sessions than the program may open.
#[test]
fn a_limit_of_the_role_makes_requests_wait() {
    let (database, mut client) = base();
    let reader = database.create_role("reader");
    client.run(&format!(
        "SELECT kb_grant('notes', '{reader}', 'write'); ALTER ROLE {reader} CONNECTION LIMIT 2"
    ));
    let served = Serve::start(&database, &reader, &["--connections", "8"], &[]);
    let mut holder = database.connect();
    let mut lock = holder.transaction().unwrap();
    lock.run("LOCK TABLE kb_notes.document IN ACCESS EXCLUSIVE MODE");
    let requests: Vec<TcpStream> = (0..24)
        .map(|number| {
            let body = json!({"knowledge_base": "notes", "content": format!("text {number}")}).to_string();
            let mut request = served.connect();
            write!(
                request,
                "POST /api/v1/documents HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            )
            .unwrap();
            request
        })
        .collect();
    wait_until("both sessions are in use", || waiting(&mut client, &reader) == 2);
    // The server answers, although it has no place for another session.
    served.send("GET", "/api/v1/health", &[], b"").is(200);
    lock.rollback().unwrap();
    for mut request in requests {
        answer(&mut request).is(201);
    }
    // Without any session, a request waits for some seconds.
    client.run(&format!("ALTER ROLE {reader} CONNECTION LIMIT 0"));
    client.run(&format!(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = '{reader}'"
    ));
    served.send("GET", "/api/v1/documents", &[], b"").refuses(503, "cannot be reached");
    assert_eq!(served.send("GET", "/api/v1/health", &[], b"").status, 503);
    client.run(&format!("ALTER ROLE {reader} CONNECTION LIMIT 1"));
    served.send("GET", "/api/v1/documents", &[], b"").is(200);
    assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_notes.document", &[]), 25);
}

#[test]
fn a_lost_connection_is_made_again() {
    let (database, mut client) = base();
    let reader = database.create_role("reader");
    client.run(&format!("SELECT kb_grant('notes', '{reader}', 'read')"));
    let served = Serve::start(&database, &reader, &[], &[]);
    for _ in 0..5 {
        served.send("GET", "/api/v1/documents", &[], b"").is(200);
        let ended: i64 = client.value(
            "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity WHERE usename = $1::text",
            &[&reader],
        );
        assert!(ended >= 1);
    }
    served.send("GET", "/api/v1/documents", &[], b"").is(200);
    client.run(&format!("ALTER ROLE {reader} NOLOGIN"));
    client.run(&format!(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = '{reader}'"
    ));
    let away = served.send("GET", "/api/v1/documents", &[], b"");
    assert!(!away.body.contains(&reader), "{away:?}");
    away.refuses(503, "cannot be reached");
    wait_until("health says so", || served.send("GET", "/api/v1/health", &[], b"").status == 503);
    client.run(&format!("ALTER ROLE {reader} LOGIN"));
    served.send("GET", "/api/v1/documents", &[], b"").is(200);
    wait_until("health says so", || served.send("HEAD", "/api/v1/health", &[], b"").status == 200);
    assert_eq!(served.end(Signal::TERM), Some(143));
}

/// Code of an owner may raise the SQLSTATE of a lost connection, and then nothing runs again.
#[test]
fn an_error_that_only_looks_like_a_lost_connection() {
    let (database, mut client) = base();
    let reader = database.create_role("reader");
    client.run(&format!(
        "SELECT kb_grant('notes', '{reader}', 'read');
         CREATE SEQUENCE calls;
         GRANT USAGE ON SEQUENCE calls TO PUBLIC;
         CREATE FUNCTION fake() RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
         BEGIN
             PERFORM nextval('public.calls');
             RAISE 'fake' USING ERRCODE = '08006';
         END $$;
         ALTER TABLE kb_notes.document ENABLE ROW LEVEL SECURITY;
         CREATE POLICY fake ON kb_notes.document TO {reader} USING (fake())"
    ));
    let served = Serve::start(&database, &reader, &[], &[]);
    let id: String = client.value("SELECT id::text FROM kb_notes.document", &[]);
    let answer = served.send("GET", &format!("/api/v1/documents/{id}"), &[], b"");
    assert!(!answer.body.contains("cannot be reached"), "{answer:?}");
    assert_eq!(client.value::<i64>("SELECT last_value FROM calls", &[]), 1, "{answer:?}");
}

/// What a request sets or holds in its session is gone before the next one, which may be of another role.
#[test]
fn nothing_stays_in_a_session() {
    let (database, mut client) = base();
    let (first, second) = (database.create_role("first"), database.create_role("second"));
    // Code of an owner that runs in the session of the caller: a policy.
    client.run(&format!(
        "SELECT kb_grant('notes', '{first}', 'read'), kb_grant('notes', '{second}', 'read');
         CREATE FUNCTION leave() RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
         BEGIN
             PERFORM set_config('kb_rag.auto_index_min_chars', '7', false), pg_advisory_lock(4711);
             RETURN true;
         END $$;
         GRANT EXECUTE ON FUNCTION leave() TO PUBLIC;
         CREATE TABLE seen (role text, value text, locks bigint);
         GRANT INSERT ON seen TO PUBLIC;
         ALTER TABLE kb_notes.document ENABLE ROW LEVEL SECURITY;
         CREATE POLICY plant ON kb_notes.document TO {first} USING (leave());
         CREATE FUNCTION look() RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
         BEGIN
             INSERT INTO public.seen SELECT current_user, current_setting('kb_rag.auto_index_min_chars'),
                 (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid());
             RETURN true;
         END $$;
         CREATE POLICY look ON kb_notes.document TO {second} USING (look())"
    ));
    let served = Serve::with_roles(&database, &[&first, &second], &["--connections", "1"]);
    assert_eq!(served.get(&first, "/api/v1/documents").status, 200);
    let locks: i64 =
        client.value("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711", &[]);
    assert_eq!(locks, 0);
    let _ = served.get(&second, "/api/v1/documents");
    let seen: Vec<String> =
        client.column("SELECT DISTINCT concat_ws(' ', role, value, locks) FROM seen", &[]);
    assert_eq!(seen, [format!("{second} 100 0")]);
}
