//! Repositories: documents from one archive of a commit, by a scripted GitHub whose archives are at another origin.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use kb_rag_cluster_tests::pipeline::{wait_until_idle, wait_until_no_worker};
use kb_rag_cluster_tests::services::{
    Answer, Entry, GitHub, add, allow_hosts, ended, fetching_base, is_fetched, keys, make_due, packed, state,
    sync, usage,
};
use kb_rag_cluster_tests::{Database, Server, Session, assert_consistent, wait_until};
use postgres::Client;
use uuid::Uuid;

const GITHUB: &str = ", content_type => 'github'";

/// `notes`, and a repository that it may fetch.
struct Fixture {
    client: Client,
    github: GitHub,
    database: Database,
}

impl Fixture {
    fn start(files: &[(&str, &str)]) -> Fixture {
        let github = GitHub::start(files);
        let (database, mut client) = fetching_base(&[github.archives.address()]);
        client.run(&format!("SELECT kb_provider_set('github', base_url => '{}')", github.api.url()));
        Fixture { client, github, database }
    }

    /// Adds the repository, or what a URL below it names, and waits until it was fetched.
    fn fetch(&mut self, path: &str, more: &str) -> (Uuid, String, String) {
        let source =
            add(&mut self.client, &format!("https://github.com/o/n{path}"), &format!("{GITHUB}{more}"));
        let (status, error) = ended(&mut self.client, source);
        (source, status, error)
    }

    fn keys(&mut self) -> Vec<String> {
        let keys = keys(&mut self.client);
        keys.iter().map(|key| key.replace("https://github.com/o/n/blob/", "")).collect()
    }
}

fn indexed() -> (String, String) {
    ("indexed".to_string(), String::new())
}

const FILES: [(&str, &str); 5] = [
    ("README.md", "# The reader\n\nWhat it is."),
    ("docs/a b.md", "# First page\n\nAbout the first."),
    ("docs/old/x.txt", "An old text."),
    ("docs/second.rst", "Second\n======\n\nAbout the second."),
    ("src/main.rs", "fn main() {}"),
];

#[test]
fn markdown_and_text_files_become_documents() {
    let mut f = Fixture::start(&FILES);
    let (source, status, error) = f.fetch("", ", metadata => '{\"team\": \"x\"}'");
    assert_eq!((status.as_str(), error.as_str()), ("indexed", ""));
    assert_eq!(
        f.keys(),
        ["main/README.md", "main/docs/a%20b.md", "main/docs/old/x.txt", "main/docs/second.rst"]
    );
    let row: Vec<String> = f.client.column(
        "SELECT concat_ws('|', source_type, title, metadata, source_id = $1, language) FROM kb_notes.document
         WHERE source_key LIKE '%/README.md'",
        &[&source],
    );
    assert!(
        row[0].starts_with("github|The reader|{\"team\": \"x\", \"filename\": \"README.md\"}|t"),
        "{row:?}"
    );
    let paths = f.github.api.paths();
    let sha = format!("{:040x}", 1);
    assert_eq!(
        paths,
        ["GET /repos/o/n", "GET /repos/o/n/commits/main", &format!("GET /repos/o/n/tarball/{sha}")]
    );
    assert_eq!(f.github.archives.asked().len(), 1);
    assert_eq!(usage(&mut f.client, "github"), (4, 4, 0));
    wait_until_idle(&mut f.client);
    assert_consistent(&mut f.client, "notes", "kb_notes");
}

#[test]
fn path_patterns_and_max_pages_narrow() {
    let mut f = Fixture::start(&FILES);
    let (source, ..) = f.fetch("/tree/main/docs", "");
    assert_eq!(f.keys(), ["main/docs/a%20b.md", "main/docs/old/x.txt", "main/docs/second.rst"]);
    // The same URL with new settings: what they leave out goes.
    let (again, ..) = f.fetch("/tree/main/docs", ", exclude_patterns => '{/docs/old/*}'");
    assert_eq!(again, source);
    assert_eq!(f.keys(), ["main/docs/a%20b.md", "main/docs/second.rst"]);
    f.client.run(&format!("SELECT kb_source_drop('{source}')"));
    f.fetch("/blob/main/docs/second.rst", "");
    assert_eq!(f.keys(), ["main/docs/second.rst"]);
    let (_, status, error) = f.fetch("/tree/main/nothing", "");
    assert_eq!((status.as_str(), error.as_str()), ("failed", "no Markdown or text file is in nothing"));
}

#[test]
fn more_files_than_max_pages_do_not_look_complete() {
    let mut f = Fixture::start(&FILES);
    let reported = "read 2 of 4 files: raise max_pages to read all";
    let (source, status, error) = f.fetch("", ", max_pages => 2");
    assert_eq!((status.as_str(), error.as_str(), f.keys().len()), ("indexed", reported, 2));
    // Nor after the same commit again, which is known.
    assert_eq!(sync(&mut f.client, source, false), ("indexed".to_string(), reported.to_string()));
    assert_eq!(f.github.archives.asked().len(), 1);
    // The first goes from the archive, and its place is taken: whether it exists is not known.
    f.github.change("README.md", None);
    let reported = "read 2 of 3 files: raise max_pages to read all";
    assert_eq!(sync(&mut f.client, source, false).1, reported);
    assert_eq!(f.keys().len(), 3);
    let (_, _, error) = f.fetch("", ", max_pages => 2, exclude_patterns => '{/docs/a*}'");
    assert_eq!(error, "");
    let (_, _, error) = f.fetch("", ", max_pages => 1, exclude_patterns => '{/docs/a*}'");
    assert_eq!(error, "read 1 of 2 files: raise max_pages to read all");
    assert_eq!(f.fetch("", ", max_pages => 3").2, "");
    assert_eq!(f.keys(), ["main/docs/a%20b.md", "main/docs/old/x.txt", "main/docs/second.rst"]);
}

#[test]
fn the_key_goes_to_the_api_alone() {
    let mut f = Fixture::start(&FILES);
    let secret = "ghp_0123456789secret";
    f.client.run(&format!("SELECT kb_secret_set('gh', '{secret}', '{}')", f.github.api.url()));
    f.client.run("SELECT kb_provider_set('github', api_key => 'secret:gh')");
    let (_, status, error) = f.fetch("", "");
    assert_eq!((status, error), indexed());
    for asked in f.github.api.asked() {
        assert_eq!(
            asked.header("authorization"),
            Some(format!("Bearer {secret}").as_str()),
            "{}",
            asked.path
        );
        assert!(asked.header("user-agent").is_some_and(|agent| agent.starts_with("kb_rag/")));
    }
    let archives = f.github.archives.asked();
    assert_eq!(archives.len(), 1);
    assert!(archives[0].headers.iter().all(|(_, value)| !value.contains(secret)), "{archives:?}");
    // An answer that repeats it.
    let source: Uuid = f.client.value("SELECT source_id FROM kb_source_list('notes')", &[]);
    f.github
        .api
        .when("/commits/", Answer::status(401, format!(r#"{{"message": "Bad credentials: {secret}"}}"#)));
    let (status, error) = sync(&mut f.client, source, false);
    assert_eq!(status, "failed");
    assert!(error.contains("401 Unauthorized") && error.contains("Bad credentials"), "{error}");
    assert!(!error.contains(secret), "{error}");
    let kept: i64 = f.client.value(
        "SELECT (SELECT count(*) FROM kb_rag.job j WHERE j::text LIKE $1) + (SELECT count(*) FROM kb_rag.web_page p WHERE p::text LIKE $1)",
        &[&format!("%{secret}%")],
    );
    assert_eq!(kept, 0);
}

#[test]
fn an_unchanged_commit_costs_two_calls() {
    let mut f = Fixture::start(&FILES);
    let (source, ..) = f.fetch("", "");
    f.github.forget();
    assert_eq!(sync(&mut f.client, source, false), indexed());
    assert_eq!(f.github.api.paths(), ["GET /repos/o/n", "GET /repos/o/n/commits/main"]);
    assert_eq!(f.github.archives.asked().len(), 0);
    assert_eq!(f.keys().len(), 4);
    // A failure in between changes nothing about that.
    for _ in 0..2 {
        f.github.api.next(Answer::status(503, ""));
    }
    assert_eq!(sync(&mut f.client, source, false), indexed());
    assert_eq!(f.github.archives.asked().len(), 0);
    assert_eq!(f.keys().len(), 4);
    f.github.api.next(Answer::status(403, r#"{"message": "Resource not accessible"}"#));
    let (status, error) = sync(&mut f.client, source, false);
    assert_eq!(status, "failed");
    assert!(error.contains("403 Forbidden: Resource not accessible"), "{error}");
    assert_eq!(sync(&mut f.client, source, false), indexed());
    assert_eq!((f.keys().len(), f.github.archives.asked().len()), (4, 0));
    // All files again by force.
    assert_eq!(sync(&mut f.client, source, true), indexed());
    assert_eq!((f.keys().len(), f.github.archives.asked().len()), (4, 1));
}

/// What an earlier version made is read again, once, although the commit is the same.
#[test]
fn files_that_an_earlier_version_read_are_read_again() {
    let mut f = Fixture::start(&FILES);
    let (source, ..) = f.fetch("", "");
    let rows = "SELECT concat_ws(' ', c.id, e.xmin) FROM kb_notes.chunk c LEFT JOIN kb_notes.embedding e ON e.chunk_id = c.id ORDER BY 1";
    let lacks = "SELECT EXISTS (SELECT FROM kb_notes.chunk c WHERE NOT EXISTS (SELECT FROM kb_notes.embedding e WHERE e.chunk_id = c.id))";
    wait_until("all vectors", || !f.client.value::<bool>(lacks, &[]));
    let before: Vec<String> = f.client.column(rows, &[]);
    for columns in ["reader_version = reader_version - 1", "chunker_version = NULL"] {
        f.client.run(&format!(
            "ALTER TABLE kb_notes.document DISABLE TRIGGER USER;
             UPDATE kb_notes.document SET {columns} WHERE source_key LIKE '%README.md';
             ALTER TABLE kb_notes.document ENABLE TRIGGER USER"
        ));
        for archives in [1, 0] {
            f.github.forget();
            assert_eq!(sync(&mut f.client, source, false), indexed());
            assert_eq!(f.github.archives.asked().len(), archives, "{columns}");
            let outdated = "SELECT outdated FROM kb_rag.status WHERE knowledge_base = 'notes'";
            assert_eq!(f.client.value::<i64>(outdated, &[]), 0, "{columns}");
        }
    }
    assert_eq!(f.client.column::<String>(rows, &[]), before);
}

#[test]
fn a_changed_file_replaces_its_document_alone() {
    let mut f = Fixture::start(&FILES);
    let (source, ..) = f.fetch("", "");
    wait_until_idle(&mut f.client);
    let documents = "SELECT array_agg(id ORDER BY id)::text || array_agg(xmin::text ORDER BY id)::text FROM kb_notes.document WHERE source_key NOT LIKE '%README%'";
    let before: String = f.client.value(documents, &[]);
    let id = "SELECT id FROM kb_notes.document WHERE source_key LIKE '%README%'";
    let readme: Uuid = f.client.value(id, &[]);
    f.github.change("README.md", Some("# The writer\n\nAnother text."));
    assert_eq!(sync(&mut f.client, source, false), indexed());
    wait_until_idle(&mut f.client);
    assert_eq!(f.client.value::<String>(documents, &[]), before);
    assert_eq!(f.client.value::<Uuid>(id, &[]), readme);
    assert_eq!(
        f.client.value::<String>("SELECT title FROM kb_notes.document WHERE source_key LIKE '%README%'", &[]),
        "The writer"
    );
    // A deleted one goes, even where another cannot be read.
    let large = "word ".repeat(500_000);
    f.github.change("docs/a b.md", None);
    f.github.change("docs/second.rst", Some(&large));
    let (status, error) = sync(&mut f.client, source, false);
    assert_eq!(status, "indexed");
    assert_eq!(
        error,
        "1 of 3 files could not be read, first https://github.com/o/n/blob/main/docs/second.rst: it is larger than 2 MB"
    );
    assert_eq!(f.keys(), ["main/README.md", "main/docs/old/x.txt", "main/docs/second.rst"]);
    wait_until_idle(&mut f.client);
    assert_consistent(&mut f.client, "notes", "kb_notes");
}

#[test]
fn most_files_go_only_by_force() {
    let mut f = Fixture::start(&FILES);
    let (source, ..) = f.fetch("", "");
    f.github.commit(&[("README.md", "# The reader\n\nWhat it is.")]);
    for _ in 0..2 {
        let (status, error) = sync(&mut f.client, source, false);
        assert_eq!(status, "failed");
        assert!(error.starts_with("3 of 4 files would be removed"), "{error}");
        assert_eq!(f.keys().len(), 4);
    }
    assert_eq!(sync(&mut f.client, source, true), indexed());
    assert_eq!(f.keys(), ["main/README.md"]);
}

#[test]
fn failures_say_what_to_do() {
    let mut f = Fixture::start(&FILES);
    let missing = add(&mut f.client, "https://github.com/o/missing", GITHUB);
    let (status, error) = ended(&mut f.client, missing);
    assert_eq!(status, "failed");
    assert!(
        error.contains("GitHub answered 404: the repository or branch does not exist, or needs a key"),
        "{error}"
    );
    let (_, status, error) = f.fetch("/tree/nowhere", "");
    assert_eq!(status, "failed");
    assert!(error.contains("No commit found for SHA: nowhere"), "{error}");
    let failed: Vec<String> = f.client.column("SELECT url FROM kb_rag.failed WHERE url LIKE '%missing'", &[]);
    assert_eq!(failed, ["https://github.com/o/missing"]);
    assert_eq!(f.keys(), [""; 0]);
}

#[test]
fn a_limit_of_calls_postpones_it() {
    let mut f = Fixture::start(&FILES);
    let reset: f64 = f.client.value("SELECT (floor(extract(epoch FROM now())) + 1800)::float8", &[]);
    f.github.api.next(
        Answer::status(403, r#"{"message": "API rate limit exceeded"}"#)
            .header("x-ratelimit-remaining", "0")
            .header("x-ratelimit-reset", &format!("{reset}")),
    );
    let source = add(&mut f.client, "https://github.com/o/n", GITHUB);
    wait_until("a source that waits", || {
        f.client.value::<i64>(
            "SELECT count(*) FROM kb_rag.job WHERE kind = 'source' AND worker IS NULL AND error LIKE '%limit of calls%'",
            &[],
        ) == 1
    });
    let apart: f64 = f.client.value(
        "SELECT abs(extract(epoch FROM due_at)::float8 - $1) FROM kb_rag.job WHERE kind = 'source'",
        &[&reset],
    );
    assert!(apart < 5.0, "{apart} s");
    let next: bool =
        f.client.value("SELECT bool_and(next_try > now() + interval '29 min') FROM kb_rag.failed", &[]);
    assert!(next);
    let (status, message) = state(&mut f.client, source);
    assert!(status == "processing" && message.contains("asked to wait until 2"), "{status}: {message}");
    let paused: String = f.client.value("SELECT paused FROM kb_rag.status", &[]);
    assert!(paused.contains("the server asked to wait: GitHub's limit of calls is reached"), "{paused}");
    // Only `force` ends the wait.
    let calls = f.github.api.asked().len();
    f.client.run(&format!(
        "SELECT kb_source_sync('{source}'), kb_add_url('notes', 'https://github.com/o/n'{GITHUB})"
    ));
    assert_eq!(state(&mut f.client, source).1, message);
    assert_eq!(f.github.api.asked().len(), calls);
    assert_eq!(sync(&mut f.client, source, true), indexed());
    assert_eq!(f.keys().len(), 4);
}

/// A wait is bounded, and may be ended once a minute.
#[test]
fn a_wait_of_a_year_is_tried_once_a_minute() {
    let mut f = Fixture::start(&FILES);
    let busy = || Answer::status(503, "").header("retry-after", "31536000");
    f.github.api.next(busy());
    let source = add(&mut f.client, "https://github.com/o/n", GITHUB);
    let waits =
        "SELECT count(*) FROM kb_rag.job WHERE kind = 'source' AND worker IS NULL AND error LIKE '%503%'
                 AND due_at BETWEEN now() + interval '59 min' AND now() + interval '60 min'";
    wait_until("a source that waits", || f.client.value::<i64>(waits, &[]) == 1);
    let calls = f.github.api.asked().len();
    f.github.api.next(busy());
    f.client.run(&format!("SELECT kb_source_sync('{source}', force => true)"));
    wait_until("a try", || f.github.api.asked().len() == calls + 1);
    wait_until("a source that waits", || f.client.value::<i64>(waits, &[]) == 1);
    f.client.run(&format!("SELECT kb_source_sync('{source}', force => true), kb_retry('notes')"));
    assert_eq!(f.client.value::<i64>(waits, &[]), 1, "a minute has not passed");
    f.client.run("UPDATE kb_rag.web_try SET used_at = used_at - interval '1 minute'");
    f.client.run("SELECT kb_retry('notes')");
    assert_eq!(ended(&mut f.client, source), indexed());
}

#[test]
fn broken_and_hostile_archives_do_no_harm() {
    let mut f = Fixture::start(&FILES);
    let (source, ..) = f.fetch("", "");
    let whole = packed(&FILES.map(|(path, content)| Entry::file(path, content)));
    let broken = [
        Answer::from_body(&whole[..whole.len() / 2]),
        Answer::from_body("<html>Unicorn!</html>"),
        Answer::from_body(""),
        // More than an archive may have, before it is sent.
        Answer::from_body("").as_if_long(200 << 20),
    ];
    for answer in broken {
        f.github.change("README.md", Some("# Changed"));
        f.github.archives.next(answer);
        let before = f.github.archives.asked().len();
        let (status, error) = sync(&mut f.client, source, false);
        assert_eq!(status, "failed", "{error}");
        assert!(!error.is_empty());
        // The same would come again.
        assert_eq!(f.github.archives.asked().len(), before + 1, "{error}");
        assert_eq!(f.keys().len(), 4, "{error}");
    }
    // A small archive that unpacks to more than a gigabyte: the parts of a gzip file are unpacked one after the other.
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(&vec![0; 1 << 20]).unwrap();
    f.github.change("README.md", Some("# Changed again"));
    f.github.archives.next(Answer::from_body(gzip.finish().unwrap().repeat(1100)));
    let (status, error) = sync(&mut f.client, source, false);
    assert_eq!((status.as_str(), f.keys().len()), ("failed", 4));
    assert!(error.contains("exceeds a limit: it unpacks to more than"), "{error}");
    // Links, and paths to elsewhere.
    let text = || b"Not of the repository.".to_vec();
    let mut entries: Vec<Entry> = FILES.map(|(path, content)| Entry::file(path, content)).into();
    entries.extend([
        Entry::Link("link.md".to_string(), "/etc/passwd".to_string()),
        Entry::HardLink("hard.md".to_string(), "o-n-abc/README.md".to_string()),
        Entry::Raw("/etc/evil.md".to_string(), text()),
        Entry::Raw("o-n-abc/../../evil.md".to_string(), text()),
        Entry::Raw("o-n-abc/a\u{1}b.md".to_string(), text()),
    ]);
    f.github.commit_entries(entries);
    assert_eq!(sync(&mut f.client, source, false), indexed());
    let keys = f.keys();
    assert!(
        keys.iter().all(|key| !key.contains("link") && !key.contains("hard") && !key.contains("..")),
        "{keys:?}"
    );
    assert!(keys.len() <= 5, "{keys:?}");
}

#[test]
fn it_goes_on_only_with_the_right() {
    let mut f = Fixture::start(&FILES);
    let owner = f.database.create_owner("owner");
    let mut theirs = f.database.connect_as(&owner);
    theirs.run("SELECT kb_create('theirs', model => 'fake/test', dimensions => 8)");
    let add = "SELECT kb_add_url('theirs', 'https://github.com/o/n', content_type => 'github')";
    assert_eq!(theirs.state_of(add, &[]), "42501");
    f.client.run(&format!("SELECT kb_provider_grant('github', '{owner}')"));
    let source: Uuid = theirs.value(add, &[]);
    let status = "SELECT status || ': ' || coalesce(error_message, '') FROM kb_source_list('theirs') WHERE source_id = $1";
    ended_of(&mut f.client);
    assert_eq!(theirs.value::<String>(status, &[&source]), "indexed: ");
    f.client.run(&format!("SELECT kb_provider_revoke('github', '{owner}')"));
    assert_eq!(theirs.state_of("SELECT kb_source_sync($1)", &[&source]), "42501");
    // Queued as when it is due.
    f.github.forget();
    f.client.value::<i64>("SELECT kb_source_sync($1)", &[&source]);
    ended_of(&mut f.client);
    let text: String = theirs.value(status, &[&source]);
    assert!(text.starts_with("failed: permission denied for provider \"github\""), "{text}");
    assert_eq!(f.github.api.asked().len(), 0);
    assert_eq!(theirs.value::<i64>("SELECT count(*) FROM kb_theirs.document", &[]), 4);
    // In the middle of it: nothing more is written.
    f.client.run(&format!("SELECT kb_provider_grant('github', '{owner}')"));
    f.github.commit(&[("README.md", "# New"), ("other.md", "# Other"), ("third.md", "# 3"), ("4.md", "# 4")]);
    f.github.archives.hold("legacy");
    f.github.archives.forget();
    f.client.value::<i64>("SELECT kb_source_sync($1)", &[&source]);
    f.github.archives.wait_for("legacy");
    f.client.run(&format!("SELECT kb_provider_revoke('github', '{owner}')"));
    f.github.archives.release();
    ended_of(&mut f.client);
    let text: String = theirs.value(status, &[&source]);
    assert!(text.starts_with("failed: permission denied"), "{text}");
    let titles: i64 = theirs.value("SELECT count(*) FROM kb_theirs.document WHERE title = 'New'", &[]);
    assert_eq!(titles, 0);
}

/// Waits until no source is fetched.
fn ended_of(client: &mut Client) {
    wait_until("the end of a crawl", || is_fetched(client));
}

#[test]
fn private_addresses_are_for_superusers_and_allowed_hosts() {
    let (database, mut client) = fetching_base(&[]);
    let github = GitHub::start(&FILES);
    client.run(&format!("SELECT kb_provider_set('github', base_url => '{}')", github.api.url()));
    // The provider's own address is a superuser's choice; the archive's is not.
    let source = add(&mut client, "https://github.com/o/n", GITHUB);
    let (status, error) = ended(&mut client, source);
    assert_eq!(status, "failed");
    assert!(error.contains(&github.archives.address()) && error.contains("kb_rag.allowed_hosts"), "{error}");
    assert_eq!(github.archives.asked().len(), 0);
    allow_hosts(&mut client, &database, &[github.archives.address()]);
    assert_eq!(sync(&mut client, source, false), indexed());
    // Now the provider of a role that is no superuser.
    let owner = database.create_owner("owner");
    client
        .run(&format!("UPDATE kb_rag.provider SET owner = '{owner}' WHERE name = 'github' AND NOT builtin"));
    github.forget();
    let (status, error) = sync(&mut client, source, false);
    assert_eq!(status, "failed");
    assert!(error.contains(&github.api.address()), "{error}");
    assert_eq!(github.api.asked().len(), 0);
    allow_hosts(&mut client, &database, &[github.archives.address(), github.api.address()]);
    assert_eq!(sync(&mut client, source, false), indexed());
}

#[test]
fn a_worker_that_is_killed_goes_on() {
    // kill -9 makes the server restart all its processes.
    let server = Server::start();
    let mut client = server.connect();
    let github = GitHub::start(&FILES);
    client.run("CREATE EXTENSION kb_rag CASCADE");
    client
        .run(&format!("ALTER DATABASE postgres SET kb_rag.allowed_hosts = '{}'", github.archives.address()));
    wait_until_no_worker(&mut client);
    client.create_base("notes");
    client.run(&format!("SELECT kb_provider_set('github', base_url => '{}')", github.api.url()));
    let source = add(&mut client, "https://github.com/o/n", GITHUB);
    assert_eq!(ended(&mut client, source), indexed());
    let changed: Vec<(String, String)> =
        (0..40).map(|n| (format!("docs/{n:02}.md"), format!("# Page {n}\n\nNumber {n}."))).collect();
    let mut files: Vec<(&str, &str)> =
        changed.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    files.extend(FILES);
    github.commit(&files);
    // During the download, and while files are being written: a lock on the documents makes it wait there.
    for during_download in [true, false] {
        github.archives.forget();
        let mut blocker = server.connect();
        if during_download {
            github.archives.hold("legacy");
        } else {
            blocker.run("BEGIN; LOCK TABLE kb_notes.document IN SHARE MODE");
        }
        client.value::<i64>("SELECT kb_source_sync($1)", &[&source]);
        github.archives.wait_for("legacy");
        if !during_download {
            wait_until("a worker that waits for the lock", || {
                client.value("SELECT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type LIKE 'kb_rag%' AND wait_event_type = 'Lock')", &[])
            });
        }
        let worker: i32 =
            client.value("SELECT worker FROM kb_rag.job WHERE kind = 'source' AND worker IS NOT NULL", &[]);
        client = server.kill(worker);
        github.archives.release();
        client.run("SELECT count(*) FROM kb_list()");
        assert_eq!(ended(&mut client, source), indexed());
        assert_eq!(keys(&mut client).len(), 44);
        if during_download {
            github.change("docs/00.md", Some("# Page zero"));
        }
    }
    wait_until_idle(&mut client);
    assert_consistent(&mut client, "notes", "kb_notes");
    assert_eq!(state(&mut client, source), indexed());
}

#[test]
fn a_commit_that_was_half_written_is_not_taken_for_known() {
    let mut f = Fixture::start(&FILES);
    let (source, ..) = f.fetch("", "");
    let first: Vec<Entry> = FILES.map(|(path, content)| Entry::file(path, content)).into();
    // A constraint refuses one file of the second group.
    f.client.run("ALTER TABLE kb_notes.document ADD CHECK (content NOT LIKE '%poison%')");
    let mut second: Vec<Entry> = (0..20).map(|n| Entry::file(&format!("a{n:02}.md"), "# A")).collect();
    second.extend(first.clone());
    second.insert(0, Entry::file("README.md", "# Second commit"));
    second.push(Entry::file("z.md", "poison"));
    f.github.commit_entries(second);
    f.client.value::<i64>("SELECT kb_source_sync($1)", &[&source]);
    wait_until("a failure", || {
        f.client.value::<bool>("SELECT EXISTS (SELECT FROM kb_rag.job WHERE kind = 'source' AND attempts > 0 AND worker IS NULL)", &[])
    });
    // The branch goes back before it is tried again.
    f.github.reset_to(1, first);
    make_due(&mut f.client);
    let (status, _) = ended(&mut f.client, source);
    assert_eq!(status, "failed", "20 of 24 would go");
    let title = "SELECT title FROM kb_notes.document WHERE source_key LIKE '%README.md'";
    assert_eq!(f.client.value::<String>(title, &[]), "The reader");
}
