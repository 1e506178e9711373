//! The files of a local model: f32 weights only, damaged weights, weights other than those that embedded a base, and a
//! second model.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process;

use kb_rag_cluster_tests::{Database, Session};
use postgres::Client;

const MODEL: &str = "all-minilm-l6-v2";
const INT8: &str = "model.int8.safetensors";

/// A model path with one model that has some of the real one's files; removed at the end.
struct ModelPath {
    root: PathBuf,
    model: &'static str,
}

impl ModelPath {
    fn with(name: &str, files: &[&str]) -> ModelPath {
        let files = [&["config.json", "vocab.txt"], files].concat();
        ModelPath::with_files(MODEL, "KB_RAG_TEST_MODEL", name, &files)
    }

    fn with_files(model: &'static str, variable: &str, name: &str, files: &[&str]) -> ModelPath {
        let source = std::env::var(variable).unwrap_or_else(|_| {
            panic!("{variable} is not set: it names the directory of {model} that set-up made")
        });
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}_{}", process::id()));
        fs::create_dir_all(root.join(model)).unwrap();
        let path = ModelPath { root, model };
        for file in files {
            fs::copy(Path::new(&source).join(file), path.file(file)).unwrap();
        }
        // The server may run as another user.
        for directory in [&path.root, &path.root.join(model)] {
            fs::set_permissions(directory, Permissions::from_mode(0o755)).unwrap();
        }
        path
    }

    fn file(&self, name: &str) -> PathBuf {
        self.root.join(self.model).join(name)
    }

    fn connect(&self, database: &Database) -> Client {
        let mut client = database.connect();
        client.run(&format!("SET kb_rag.model_path = '{}'", self.root.display()));
        client
    }
}

impl Drop for ModelPath {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// The variants that embedded the only base, and the variant in use.
fn variants(client: &mut Client) -> String {
    client.value("SELECT model_variants::text || ' ' || variant_in_use FROM kb_rag.status", &[])
}

#[test]
fn f32_weights_alone_suffice_and_the_base_records_them() {
    let f32 = ModelPath::with("f32", &["model.safetensors"]);
    let database = Database::create();
    let mut client = f32.connect(&database);
    client.run("SELECT kb_create('kept'), kb_add('kept', 'A cat sleeps on the mat.', title => 'Cat')");
    assert_eq!(variants(&mut client), "{f32} f32");
    // The installed model has int8 weights; its vectors are close enough to give the same answers.
    let mut client = database.connect();
    assert_eq!(variants(&mut client), "{f32} int8");
    let similarity: f64 = client.value(
        "SELECT similarity FROM kb_search('Cat\nA cat sleeps on the mat.', 'kept', 'semantic', 1)",
        &[],
    );
    assert!((0.99..0.99999).contains(&similarity), "{similarity}");
    client.run("SELECT kb_add('kept', 'A dog barks.')");
    assert_eq!(variants(&mut client), "{f32,int8} int8");
}

#[test]
fn concurrent_first_writers_with_other_weights_do_not_wait() {
    let f32 = ModelPath::with("concurrent", &["model.safetensors"]);
    let database = Database::create();
    f32.connect(&database).run("SELECT kb_create('kept')");
    let (mut first, mut second) = (database.connect(), database.connect());
    first.run("BEGIN; SELECT kb_add('kept', 'A cat sleeps on the mat.')");
    second.run("SET lock_timeout = '5s'; SELECT kb_add('kept', 'A dog barks.')");
    first.run("COMMIT");
    assert_eq!(variants(&mut second), "{f32,int8} int8");
}

#[test]
fn damaged_weights_are_reported_and_never_replaced_by_others() {
    let path = ModelPath::with("damaged", &["model.safetensors", INT8]);
    let database = Database::create();
    path.connect(&database).run("SELECT kb_create('kept'), kb_add('kept', 'A cat sleeps on the mat.')");
    let whole = fs::read(path.file(INT8)).unwrap();
    let mut other = whole.clone();
    // Inside the mark of the source weights, which the header contains as text.
    let mark = whole.windows(15).position(|part| part == b"kb_rag.source\":").unwrap() + 20;
    other[mark] ^= 1;
    for (contents, reason) in [
        (&whole[..whole.len() / 2], "not a whole safetensors file"),
        (&other[..], "was made from another model.safetensors; quantize the model again"),
    ] {
        // Sessions that have mapped the old file keep it: a new file takes over its name.
        fs::write(path.file("new"), contents).unwrap();
        fs::rename(path.file("new"), path.file(INT8)).unwrap();
        let mut client = path.connect(&database);
        let error = client.batch_execute("SELECT kb_embed('a cat')").unwrap_err();
        let error = error.as_db_error().unwrap();
        assert_eq!(error.code().code(), "55000");
        assert_eq!(error.message(), "model \"local/all-minilm-l6-v2\" cannot be opened");
        let detail = error.detail().unwrap();
        assert!(detail.contains(INT8) && detail.contains(reason), "{detail}");
        assert!(error.hint().unwrap().contains("make install"));
        assert_eq!(client.state_of("SELECT kb_add('kept', 'A dog barks.')", &[]), "55000");
        // By keyword, with a warning.
        let found: i64 = client.value("SELECT count(*) FROM kb_hybrid_search('cat', 'kept')", &[]);
        assert_eq!(found, 1);
        let in_use: Option<String> = client.value("SELECT variant_in_use FROM kb_rag.status", &[]);
        assert_eq!(in_use, None);
    }
}

#[test]
fn tools_take_the_threshold_of_the_model() {
    let model = ModelPath::with("threshold", &[INT8]);
    let database = Database::create();
    database
        .connect()
        .run("SELECT kb_create('kept'), kb_add('kept', 'A cat sleeps on the mat.', title => 'Cat')");
    // A passage with the words of the question would pass by these.
    let question = "SELECT kb_call_tool('search_knowledge', '{\"query\": \"Where is the kitty taking a nap?\"}') #>> '{content,0,text}'";
    let answer = |threshold: &str| -> String {
        fs::write(model.file("kb_model.json"), format!("{{\"threshold\": {threshold}}}")).unwrap();
        model.connect(&database).value(question, &[])
    };
    let (found, nothing) = ("A cat sleeps on the mat.", "No passage about this was found.");
    assert!(answer("0.3").contains(found));
    assert_eq!(answer("0.95"), nothing);
    // That of the base precedes it.
    database.connect().run("SELECT kb_configure('kept', match_threshold => 0.2)");
    assert!(answer("0.95").contains(found));
    // What was measured has a file of its own, with a gate.
    let measured = |pair: &str| -> String {
        fs::write(model.file("kb_similarity.json"), pair).unwrap();
        answer("0.95")
    };
    database.connect().run("SELECT kb_configure('kept', match_threshold => -1)");
    assert!(measured("{\"match_threshold\": 0.3}").contains(found));
    assert!(measured("{\"answer_threshold\": 0.35, \"match_threshold\": 0.3}").contains(found));
    assert_eq!(measured("{\"answer_threshold\": 0.95, \"match_threshold\": 0.3}"), nothing);
    database.connect().run("SELECT kb_configure('kept', answer_threshold => 0.35)");
    assert!(measured("{\"answer_threshold\": 0.95, \"match_threshold\": 0.3}").contains(found));
    fs::remove_file(model.file("kb_similarity.json")).unwrap();
    // One that is no similarity is an error of the model's files.
    fs::write(model.file("kb_model.json"), "{\"threshold\": 3}").unwrap();
    let error = model.connect(&database).query("SELECT kb_embed('cat')", &[]).unwrap_err();
    let error = error.as_db_error().unwrap();
    assert_eq!(error.code().code(), "55000");
    assert!(error.detail().is_some_and(|detail| detail.contains("threshold is 3")), "{error:?}");
}

#[test]
fn another_model_reads_other_languages() {
    let files = ["config.json", "kb_model.json", "tokenizer.safetensors", INT8];
    let model = ModelPath::with_files(
        "multilingual-e5-small",
        "KB_RAG_TEST_MULTILINGUAL_MODEL",
        "multilingual",
        &files,
    );
    let database = Database::create();
    let mut client = model.connect(&database);
    client.run(
        "SELECT kb_create('welt', model => 'local/multilingual-e5-small', text_config => 'simple');
         INSERT INTO kb_welt.document (title, content) VALUES
            ('parcel', 'Pakete, die nie angekommen sind, können Sie beim Kundendienst reklamieren.'),
            ('library', 'Библиотека открывается в девять и закрывается в шесть вечера.'),
            ('honey', '蜜蜂要采一千多朵花才能酿出一勺蜂蜜。')",
    );
    for (question, title) in [
        ("When does the library open?", "library"),
        ("图书馆几点开门？", "library"),
        ("Как пчёлы делают мёд?", "honey"),
        ("How do bees make honey?", "honey"),
        ("Посылка не пришла", "parcel"),
        ("包裹没有送到", "parcel"),
    ] {
        let found: String = client.value(
            &format!("SELECT title FROM kb_search('{question}', 'welt', 'semantic', match_count => 1)"),
            &[],
        );
        assert_eq!(found, title, "{question}");
    }
    let answer = |client: &mut Client, question: &str| -> String {
        let arguments = format!("{{\"query\": \"{question}\"}}");
        client.value(
            &format!("SELECT kb_call_tool('search_knowledge', '{arguments}') #>> '{{content,0,text}}'"),
            &[],
        )
    };
    assert!(answer(&mut client, "Когда открывается библиотека?").contains("Библиотека"));
    assert_eq!(answer(&mut client, "Who won the football match?"), "No passage about this was found.");
    // No chunk has more tokens than are read, and a script without spaces is not cut into smaller ones.
    client.run(
        "INSERT INTO kb_welt.document (title, content)
         VALUES ('long', repeat('图书馆九点开门，晚上六点关门。把面粉、鸡蛋和牛奶混合，让面团静置半小时。', 60))",
    );
    let lengths: Vec<i32> = client.column(
        "SELECT length(c.content) FROM kb_welt.chunk c JOIN kb_welt.document d ON d.id = c.document_id
         WHERE d.title = 'long' ORDER BY c.ordinal",
        &[],
    );
    assert!(
        lengths.len() > 2 && lengths[..lengths.len() - 1].iter().all(|length| (400..=1000).contains(length)),
        "{lengths:?}"
    );
}
