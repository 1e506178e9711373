//! `kb-rag evaluate`: floors, runs that are compared, reports.

use std::fs;
use std::path::Path;

use kb_rag_cluster_tests::client::{Folder, Run, quality};
use kb_rag_cluster_tests::{Database, Session, socket_directory};
use postgres::Client;
use serde_json::Value;

const KEYWORD: [&str; 2] = ["--arguments", r#"{"mode": "keyword"}"#];
/// A search that finds nothing.
const NOTHING: [&str; 2] = ["--arguments", r#"{"mode": "keyword", "filter": {"no": "such"}}"#];

/// A base with 60 documents of one word each, and a question for each of them.
fn base() -> (Database, Client) {
    let (database, mut client) = Database::with_base("notes");
    client.run(
        "SELECT kb_add('notes', 'word' || n, source_key => 'k' || n) FROM generate_series(1, 60) n;
         SELECT kb_question_add('notes', 'word' || n, expected_keys => ARRAY['k' || n],
            tags => CASE WHEN n % 2 = 0 THEN '{even}'::text[] ELSE '{}' END) FROM generate_series(1, 60) n",
    );
    (database, client)
}

fn run_as(database: &Database, role: &str, arguments: &[&str]) -> Run {
    let arguments = [&["evaluate", "--base", "notes"], arguments].concat();
    Run::from_command(&mut quality(&socket_directory(), database.name(), role, &arguments))
}

fn run(database: &Database, arguments: &[&str]) -> Run {
    run_as(database, "postgres", arguments)
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn figures_are_those_of_the_server() {
    let (database, mut client) = base();
    client.run(
        "SELECT kb_question_add('notes', 'word1', expected_keys => '{k1}', filter => '{\"no\": \"such\"}', weight => 4);
        SELECT kb_question_add('notes', 'word1', expected_keys => '{gone}');
        SELECT kb_question_add('notes', 'word2')",
    );
    let ran = run(&database, &[&KEYWORD[..], &["--json", "--verbose"]].concat());
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let found: Value = serde_json::from_str(&ran.output).unwrap();
    let expected: Value =
        client.value("SELECT to_jsonb(e) FROM kb_evaluate('notes', '{\"mode\": \"keyword\"}') e", &[]);
    for measure in ["first_hit", "hits_5", "hits_k", "mrr", "ndcg_10"] {
        let figure = &found["figures"][measure];
        for (one, other) in [
            (&figure["value"], &expected[measure]),
            (&figure["low"], &expected["intervals"][measure][0]),
            (&figure["high"], &expected["intervals"][measure][1]),
        ] {
            assert!((one.as_f64().unwrap() - other.as_f64().unwrap()).abs() < 1e-9, "{measure}: {found:#}");
        }
    }
    for count in ["questions", "missing", "without_answer", "answered_by_mistake", "refused_by_mistake"] {
        assert_eq!(found[count], expected[count], "{count}");
    }
    assert_eq!(found["figures"]["first_hit"]["value"], 60.0 / 64.0);
    assert_eq!(found["each"].as_array().unwrap().len(), 63);
    for said in [
        "50 of 63 questions\n63 of 63 questions\n",
        "question \"word1\": what it expects is not among the results\n",
        "question \"word1\": what it expects is not there\n",
        "question \"word2\": it is to find nothing, and is answered\n",
    ] {
        assert!(ran.errors.contains(said), "{said:?} in {ran:?}");
    }
    let tables = run(&database, &[&KEYWORD[..], &["--tag", "even"]].concat());
    assert!(tables.output.contains("\nfirst_hit  1.0000  1.0000 to 1.0000\n"), "{tables:?}");
    assert!(tables.output.contains("\n30 questions: 0 missing, "), "{tables:?}");
    assert_eq!(tables.errors, "");
}

#[test]
fn a_floor_decides_the_exit_status() {
    let (database, mut client) = base();
    client.run(
        "DELETE FROM kb_notes.document WHERE source_key = 'k1';
        SELECT kb_add('notes', 'other', source_key => 'k1')",
    );
    let with = |floors: &[&str]| run(&database, &[&KEYWORD[..], floors].concat());
    let good = with(&["--min-first-hit", ".98", "--min-hit5", "0.98", "--min-ndcg", ".98"]);
    assert_eq!((good.status, good.errors.as_str()), (Some(0), ""), "{good:?}");
    with(&["--min-first-hit", "1"]).fails(1, &["failed: first_hit is 0.9833, and has to be at least 1\n"]);
    with(&["--min-hit5", ".99"]).fails(1, &["failed: hits_5 is 0.9833, and has to be at least 0.99\n"]);
    with(&["--min-ndcg", ".99"]).fails(1, &["failed: ndcg_10 is 0.9833, and has to be at least 0.99\n"]);
    with(&["--min-hit5", "90"]).fails(2, &["give a number from 0 to 1"]);
    client.run("TRUNCATE kb_notes.document CASCADE");
    with(&["--min-hit5", "0"]).fails(1, &["hits_5 is unknown", "no question counts"]);
}

#[test]
fn a_run_is_compared_with_an_earlier_one() {
    let (database, mut client) = base();
    let folder = Folder::new();
    let (before, after) = (folder.path().join("before.json"), folder.path().join("after.json"));
    let [before, after] = [&before, &after].map(|path| path.to_str().unwrap());
    let ran = run(&database, &[&KEYWORD[..], &["--save", before]].concat());
    assert_eq!(ran.status, Some(0), "{ran:?}");
    run(&database, &[&KEYWORD[..], &["--against", before, "--min-hit5", "1"]].concat()).expect(
        0,
        "ndcg_10    1.0000  1.0000     +0.0000  +0.0000 to +0.0000     0     0    60       -  too few to tell",
    );
    // What is compared is saved as well.
    let worse = run(&database, &[&NOTHING[..], &["--against", before, "--save", after]].concat());
    worse.fails(1, &["failed: ndcg_10 is 0.0000, and was 1.0000 in ", "before.json (p = 0.0001)\n"]);
    assert!(worse.output.ends_with("0.0001  worse than there\n"), "{worse:?}");
    let comparison = json(Path::new(after))["comparison"].clone();
    assert_eq!((&comparison["questions"], &comparison["measures"][4]["lost"]), (&60.into(), &60.into()));
    let better = run(&database, &[&KEYWORD[..], &["--against", after]].concat());
    assert_eq!(better.status, Some(0), "{better:?}");
    assert!(better.output.ends_with("0.0001  better than there\n"), "{better:?}");

    // The file may be the same.
    run(&database, &[&KEYWORD[..], &["--against", after, "--save", after]].concat()).fails(0, &[]);
    assert_eq!(json(Path::new(after))["figures"]["ndcg_10"]["value"], 1.0);

    // By text where the ids are others; what was changed is counted, and not compared.
    client.run(
        "CREATE TEMP TABLE old AS TABLE kb_notes.question;
        TRUNCATE kb_notes.question;
        SELECT kb_question_add('notes', question, expected_keys) FROM old ORDER BY id;
        UPDATE kb_notes.question SET expected_keys = '{k2}' WHERE question = 'word1';
        UPDATE kb_notes.question SET question = 'word002' WHERE question = 'word2';
        SELECT kb_question_add('notes', 'word3', expected_keys => '{k3}');
        DELETE FROM kb_notes.document WHERE source_key = 'k4'",
    );
    let moved = run(&database, &[&KEYWORD[..], &["--against", before]].concat());
    let said =
        "57 questions; not compared: 1 only there, 2 only here, 1 changed, 1 whose answer is missing in one";
    assert!(moved.output.contains(said), "{moved:?}");

    // A run that the base keeps is matched by ids.
    client.run("SELECT count(*) FROM kb_evaluate('notes', '{\"mode\": \"keyword\"}', save_as => 'kept')");
    let kept = run(&database, &[&NOTHING[..], &["--against", "kept"]].concat());
    kept.fails(1, &["failed: ndcg_10 is 0.0000, and was "]);
    assert!(
        kept.output
            .contains("compared with kept: 60 questions; not compared: 0 only there, 0 only here, 0 changed"),
        "{kept:?}"
    );
    client
        .run("TRUNCATE kb_notes.question; SELECT kb_question_add('notes', 'word5', expected_keys => '{k5}')");
    run(&database, &["--against", "kept"]).fails(1, &["failed: no question can be compared with kept"]);
    let wrong = folder.write("wrong.json", "{}");
    run(&database, &["--against", wrong.to_str().unwrap()]).fails(2, &["is not a run of kb-rag evaluate"]);
    run(&database, &["--against", "kpet"])
        .fails(2, &["\"kpet\" is neither a file nor a run of knowledge base \"notes\""]);
}

#[test]
fn questions_of_a_file_do_not_stay() {
    let (database, mut client) = Database::with_base("notes");
    client.run("SELECT kb_add('notes', 'word' || n, source_key => 'k' || n) FROM generate_series(1, 5) n");
    let lines = "{\"question\": \"word1\", \"expected_keys\": [\"k1\"], \"tags\": [\"a\"]}\n{\"question\": \"word2\", \"expected_keys\": [\"k1\"]}\n";
    let folder = Folder::with(&[("q.jsonl", lines)]);
    let path = folder.path().join("q.jsonl");
    let of_file = ["--questions", path.to_str().unwrap()];
    let with = |more: &[&str]| run(&database, &[&KEYWORD[..], &of_file, more].concat());
    let tables = "SELECT count(*) FROM pg_class WHERE relnamespace = 'kb_notes'::regnamespace AND relname = 'question'";
    with(&["--min-first-hit", ".6"]).fails(1, &["first_hit is 0.5000"]);
    assert_eq!(client.value::<i64>(tables, &[]), 0);
    with(&["--min-first-hit", "1", "--tag", "a"]).fails(0, &[]);
    with(&["--tag", "b"]).fails(2, &["the file has no questions to ask"]);
    // Beside questions of the base, which are not asked.
    client.run("SELECT kb_question_add('notes', 'word3', expected_keys => '{k4}')");
    with(&["--min-first-hit", ".5"]).fails(0, &[]);
    assert_eq!(client.value::<i64>("SELECT count(*) FROM kb_notes.question", &[]), 1);
    folder.write("q.jsonl", "{\"question\": \"a\"}\n{\"qestion\": \"b\"}");
    with(&[]).fails(2, &["line 2: unknown member \"qestion\"", "Perhaps you meant \"question\"."]);
}

#[test]
fn the_report_has_a_test_for_each() {
    let (database, mut client) = base();
    client.run(
        "SELECT kb_question_add('notes', E'<w> & \"x\"\\x01\\nnext', expected_keys => '{k1}');
        SELECT kb_question_add('notes', 'none', expected_keys => '{gone}')",
    );
    let folder = Folder::new();
    let [xml, save] = ["report.xml", "a.json"].map(|name| folder.path().join(name));
    let [xml, save] = [&xml, &save].map(|path| path.to_str().unwrap());
    let arguments = ["--save", save, "--junit", xml, "--min-hit5", "1"];
    run(&database, &[&KEYWORD[..], &arguments].concat()).fails(1, &["hits_5"]);
    let report = fs::read_to_string(xml).unwrap();
    assert!(report.contains(" tests=\"63\" failures=\"2\" errors=\"0\" skipped=\"1\" "), "{report}");
    for line in [
        "<testcase classname=\"kb-rag evaluate notes.floors\" name=\"hits_5 at least 1\" time=\"0.000000\"><failure message=\"hits_5 is 0.9836, \
         and has to be at least 1\"/></testcase>\n",
        " name=\"&lt;w&gt; &amp; &quot;x&quot;\\u{1}&#10;next\" time=\"",
        "\"><failure message=\"what it expects is not among the results\"/></testcase>\n",
        "<skipped message=\"what it expects is not there\"/>",
    ] {
        assert!(report.contains(line), "{line} in {report}");
    }
    run(&database, &[&KEYWORD[..], &["--against", save, "--junit", xml]].concat()).fails(0, &[]);
    let report = fs::read_to_string(xml).unwrap();
    assert!(
        report.contains("<testcase classname=\"kb-rag evaluate notes.comparison\" name=\"not worse than "),
        "{report}"
    );
}

#[test]
fn wrong_calls_are_told_from_failures() {
    let (database, mut client) = base();
    let [reader, admin] = ["reader", "admin"].map(|name| database.create_role(name));
    client
        .run(&format!("SELECT kb_grant('notes', '{reader}', 'read'), kb_grant('notes', '{admin}', 'admin')"));
    run_as(&database, &admin, &KEYWORD).fails(0, &[]);
    run_as(&database, &reader, &KEYWORD).fails(1, &["must be an administrator of knowledge base \"notes\""]);
    run(&database, &["--arguments", r#"{"mod": "keyword"}"#])
        .fails(2, &["kb_search has no argument \"mod\"", "Perhaps you meant \"mode\"."]);
    run(&database, &["--arguments", "[]"]).fails(2, &["it is no JSON object"]);
    run(&database, &["--save", "/nowhere/a.json"]).fails(2, &["\"/nowhere/a.json\" cannot be written"]);
    run(&database, &["--tag", "odd"]).fails(1, &["has no questions with the tag \"odd\""]);
    client.run("UPDATE kb_notes.question SET filter = '{\"$near\": 1}' WHERE question = 'word7'");
    run(&database, &KEYWORD).fails(1, &["question ", "cannot be asked"]);
}
