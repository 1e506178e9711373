//! `kb-rag serve`: measuring a base on its questions.

use kb_rag_cluster_tests::Session;
use kb_rag_cluster_tests::serve::Serve;
use serde_json::{Value, json};

use crate::serve::{base, texts};

const EVALUATE: &str = "/api/v1/bases/notes/evaluate";
const KEPT: &str = "/api/v1/bases/notes/evaluations";

#[test]
fn a_base_is_measured_by_who_administers_it() {
    let (database, mut client, reader, writer) = base();
    let [admin, stranger] = ["admin", "stranger"].map(|name| database.create_role(name));
    client.run(&format!("SELECT kb_grant('notes', '{admin}', 'admin')"));
    let served = Serve::with_roles(&database, &[&reader, &writer, &admin, &stranger], &[]);
    let keyword = |save_as: &str| json!({"arguments": {"mode": "keyword"}, "save_as": save_as});

    // No questions yet. Who may not ask them does not learn that.
    let denied = |role: &str| {
        for refused in [served.post(role, EVALUATE, keyword("a")), served.get(role, KEPT)] {
            refused.refuses(403, "must be an administrator");
            assert!(refused.json()["hint"].as_str().unwrap().contains("kb_grant"), "{refused:?}");
        }
    };
    for role in [&reader, &writer] {
        denied(role);
    }
    for refused in [served.post(&admin, EVALUATE, keyword("a")), served.get(&admin, KEPT)] {
        refused.refuses(409, "knowledge base \"notes\" has no questions");
        assert!(refused.json()["hint"].as_str().unwrap().contains("kb_question_add"), "{refused:?}");
    }

    client.run(
        "SELECT kb_question_add('notes', 'kowari insects', expected_keys => '{kowari.md}', tags => '{animals}', weight => 3);
         SELECT kb_question_add('notes', '<b>hidden</b> marsupial', expected_keys => '{kowari.md}', filter => '{\"zoo\": 1}');
         SELECT kb_question_add('notes', 'quokka', expected_keys => '{kowari.md}');
         SELECT kb_question_add('notes', 'world cup');
         SELECT kb_question_add('notes', 'gone', expected_keys => '{gone.md}')",
    );
    for role in [&reader, &writer] {
        denied(role);
    }
    let missing = |role: &str, path: &str| {
        served
            .post(role, &format!("/api/v1/bases/{path}/evaluate"), keyword("a"))
            .refuses(404, "does not exist");
        served.get(role, &format!("/api/v1/bases/{path}/evaluations")).refuses(404, "does not exist");
    };
    missing(&stranger, "notes");
    missing(&admin, "none");
    assert_eq!(served.get(&admin, KEPT).is(200), json!([]));

    let run = served.post(&admin, EVALUATE, keyword("first <i>run</i>")).is(200);
    let figures = &run["figures"];
    let counts =
        ["place", "questions", "missing", "without_answer", "answered_by_mistake"].map(|name| &figures[name]);
    assert_eq!(counts, [1, 5, 1, 1, 0]);
    assert_eq!((&figures["arguments"], &figures["hits_5"]), (&json!({"mode": "keyword"}), &json!(0.6)));
    assert!(figures["intervals"]["hits_5"].is_array(), "{figures}");
    let asked = &run["questions"];
    assert_eq!(
        texts(asked, "question"),
        ["kowari insects", "<b>hidden</b> marsupial", "quokka", "world cup", "gone"]
    );
    assert_eq!((&asked[0]["rank"], &asked[0]["found_by"]), (&json!(1), &json!("keyword")));
    assert_eq!((&asked[1]["rank"], &asked[1]["filter"]), (&Value::Null, &json!({"zoo": 1})));
    assert_eq!(texts(&asked[1]["expected"], "title"), ["Kowari"]);
    assert_eq!(texts(&asked[2]["before"], "title"), ["<img src=x onerror=alert(1)>"]);
    assert_eq!((&asked[3]["expects_nothing"], &asked[4]["missing"]), (&json!(true), &json!(true)));
    assert_eq!((&asked[3]["expected"], &asked[4]["expected"]), (&json!([]), &json!([])));

    // Kept runs have the same figures, whatever else is in the table.
    served.post(&admin, EVALUATE, json!({"tag": "animals", "save_as": "second"})).is(200);
    client.run(
        r#"INSERT INTO kb_notes.evaluation (name, run, created_at) VALUES
            ('by hand', '{"configurations": [{"questions": [{"weight": "x", "rank": 0, "ndcg_10": 1, "missing": 1}, 7]}]}', '2020-01-01'),
            ('nothing', '7', '2019-01-01')"#,
    );
    let kept = served.get(&admin, KEPT).is(200);
    assert_eq!(texts(&kept, "name"), ["second", "first <i>run</i>", "by hand", "nothing"]);
    assert_eq!((&kept[0]["tag"], &kept[0]["configurations"][0]["questions"]), (&json!("animals"), &json!(1)));
    assert!(kept[1]["created_at"].is_string() && kept[1]["model"].is_string(), "{kept}");
    for (name, value) in kept[1]["configurations"][0].as_object().unwrap() {
        match (value.as_f64(), figures[name].as_f64()) {
            (Some(kept), Some(made)) => assert!((kept - made).abs() < 1e-12, "{name}: {kept} {made}"),
            _ => assert_eq!(value, &figures[name], "{name}"),
        }
    }
    assert_eq!(kept[2]["configurations"][0]["hits_5"], Value::Null);
    assert_eq!(kept[3]["configurations"], json!([]));

    for (body, status, said) in [
        (keyword("second"), 409, "already exists"),
        (json!({"save_as": " "}), 400, "save_as is empty"),
        (json!({"arguments": {"mode": "fast"}}), 400, "fast"),
        (json!({"arguments": {"query": "a"}}), 400, "query"),
        (json!({"arguments": [{}]}), 400, "must be a JSON object"),
        (json!({"tag": "none"}), 409, "no questions with the tag \"none\""),
        (json!({"mode": "keyword"}), 400, "unknown argument \"mode\""),
    ] {
        served.post(&admin, EVALUATE, body).refuses(status, said);
    }
    served.get(&admin, &format!("{KEPT}?name=first")).refuses(400, "unknown argument");
    assert_eq!(served.get(&admin, KEPT).is(200), kept);
}

/// An owner cannot have readers of kept runs read something else.
#[test]
fn tables_of_others_are_no_runs() {
    let (database, mut client, ..) = base();
    let admin = database.create_role("admin");
    client.run(&format!(
        "SELECT kb_grant('notes', '{admin}', 'admin');
         CREATE TABLE planted AS SELECT 'planted' AS name, '{{}}'::jsonb AS run, now() AS created_at;
         GRANT SELECT ON planted TO {admin};
         CREATE VIEW kb_notes.evaluation AS SELECT * FROM planted;
         CREATE VIEW kb_notes.question AS SELECT * FROM planted;
         GRANT SELECT ON kb_notes.evaluation, kb_notes.question TO {admin}"
    ));
    let served = Serve::with_roles(&database, &[&admin], &[]);
    served.get(&admin, KEPT).refuses(409, "has no questions");
    served.post(&admin, EVALUATE, json!({})).refuses(409, "has no questions");
    client.run("DROP VIEW kb_notes.evaluation, kb_notes.question; SELECT kb_question_add('notes', 'kowari')");
    served.get(&admin, KEPT).is(200);
}
