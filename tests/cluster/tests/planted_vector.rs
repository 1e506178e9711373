//! A malicious type named `vector`: CREATE EXTENSION refuses to build on it, and no function accepts it as
//! pgvector's.

use kb_rag_cluster_tests::{Database, Session};

/// Each statement creates a type of this name in a schema.
const PLANTED: [&str; 6] = [
    "CREATE DOMAIN {schema}.{name} AS int4",
    "CREATE DOMAIN {schema}.{name} AS text",
    "CREATE TYPE {schema}.{name} AS (a float8, b text)",
    "CREATE TYPE {schema}.{name} AS ENUM ('a')",
    "CREATE TYPE {schema}.{name} AS RANGE (subtype = float8)",
    "CREATE TYPE {schema}.{name}",
];

fn plant(template: &str, schema: &str, name: &str) -> String {
    template.replace("{schema}", schema).replace("{name}", name)
}

#[test]
fn create_extension_refuses_a_malicious_type() {
    for template in PLANTED {
        // In the schema of the functions, which is searched before pgvector's own schema.
        let database = Database::bare("");
        let mut client = database.connect();
        let planted = plant(template, "target", "vector");
        client.run(&format!("CREATE SCHEMA target; CREATE EXTENSION vector; {planted}"));
        let error = client.batch_execute("CREATE EXTENSION kb_rag SCHEMA target").unwrap_err();
        let error = error.as_db_error().unwrap();
        assert_eq!(error.code().code(), "42710", "{planted}: {error:?}");
        assert!(error.message().contains("not pgvector's"), "{error:?}");
        // pgvector is not installed yet, and goes into the same schema.
        client.run("DROP EXTENSION vector");
        assert_eq!(
            client.state_of("CREATE EXTENSION kb_rag SCHEMA target CASCADE", &[]),
            "42710",
            "{planted}"
        );
        // Types elsewhere, or with other names, do not matter.
        client.run(&format!(
            "DROP TYPE target.vector; CREATE EXTENSION vector; CREATE SCHEMA other; {}; {}; {}; SET search_path = other, public",
            plant(template, "other", "vector"),
            plant(template, "pg_temp", "vector"),
            plant(template, "target", "halfvec"),
        ));
        client.run("CREATE EXTENSION kb_rag SCHEMA target");
        client.run("SET search_path = other, target, public");
        client.create_base("mine");
        client.run("SELECT kb_add('mine', 'A text about herons.')");
        let found: i64 = client.value(
            "SELECT count(*) FROM kb_search('herons', 'mine', 'semantic', query_embedding => kb_embed('herons', 'fake/test', 8))",
            &[],
        );
        assert_eq!(found, 1, "{planted}");
    }
}

/// The functions as an installation misled by such a type would declare them: every function that takes or
/// returns a vector, with the other type in its place.
#[test]
fn functions_refuse_the_values_of_another_type() {
    let (database, mut client) = Database::with_base("mine");
    client.run("SELECT kb_add('mine', 'A text about herons.'); CREATE SCHEMA fooled");
    for (domain, value) in [
        ("int4", "42"),
        ("text", "'[1,2,3,4,5,6,7,8]'"),
        ("float8[]", "'{1,2}'"),
        ("public.vector", "'[1,2,3,4,5,6,7,8]'"),
    ] {
        client.run(&format!("CREATE DOMAIN fooled.vector AS {domain}"));
        let functions: Vec<String> = client.column(
            "SELECT pg_get_functiondef(p.oid) FROM pg_proc p
             JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
             JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid AND e.extname = 'kb_rag'
             WHERE 'vector'::regtype = ANY (array_append(coalesce(p.proallargtypes, p.proargtypes::oid[]), p.prorettype)) ORDER BY p.proname",
            &[],
        );
        let names = [
            "kb_context",
            "kb_embed",
            "kb_embed_batch",
            "kb_explain",
            "kb_hybrid_search",
            "kb_search",
            "kb_search_documents",
            "match_knowledge_chunks",
        ];
        assert_eq!(functions.len(), names.len(), "{functions:?}");
        for (function, name) in functions.iter().zip(names) {
            assert!(function.contains(&format!("public.{name}(")), "{function}");
            let fooled = function
                .replace(&format!("public.{name}("), &format!("fooled.{name}("))
                .replace(" vector", " fooled.vector")
                .replace("::vector", "::fooled.vector");
            client.run(&fooled);
        }
        for call in [
            "{schema}.kb_embed('text', 'fake/test', 8)".to_string(),
            "{schema}.kb_embed_batch('{text}', 'fake/test', 8)".to_string(),
            format!("{{schema}}.kb_search('herons', 'mine', query_embedding => {value})"),
            format!("{{schema}}.kb_search('herons', 'mine', 'keyword', query_embedding => {value})"),
            format!("{{schema}}.kb_hybrid_search('herons', 'mine', query_embedding => {value})"),
            format!("{{schema}}.kb_context('herons', 'mine', query_embedding => {value})"),
            format!("{{schema}}.kb_explain('herons', 'mine', query_embedding => {value})"),
            format!("{{schema}}.kb_search_documents('herons', 'mine', query_embedding => {value})"),
            format!("{{schema}}.match_knowledge_chunks((SELECT id FROM kb_list()), {value})"),
        ] {
            let call = format!("SELECT * FROM {call}");
            assert_eq!(
                client.state_of(&call.replace("{schema}", "fooled"), &[]),
                "42804",
                "{domain}: {call}"
            );
        }
        client.run("DROP SCHEMA fooled CASCADE; CREATE SCHEMA fooled");
    }
    // The same calls of the correct functions, and columns of other types in kb_import.
    for (call, state) in [
        ("kb_search('herons', 'mine', query_embedding => '[1,2,3,4,5,6,7,8]')", "00000"),
        ("kb_hybrid_search('herons', 'mine', query_embedding => '[1,2,3,4,5,6,7,8]')", "00000"),
        ("kb_context('herons', 'mine', query_embedding => '[1,2,3,4,5,6,7,8]')", "00000"),
        ("kb_explain('herons', 'mine', query_embedding => '[1,2,3,4,5,6,7,8]')", "00000"),
        ("kb_search_documents('herons', 'mine', query_embedding => '[1,2,3,4,5,6,7,8]')", "00000"),
        ("match_knowledge_chunks((SELECT id FROM kb_list()), '[1,2,3,4,5,6,7,8]')", "00000"),
        ("kb_embed_batch('{text}', 'fake/test', 8)", "00000"),
        ("kb_import('mine', 'good', '{\"content\": \"c\", \"embedding\": \"v\"}')", "00000"),
        ("kb_import('mine', 'bad', '{\"content\": \"c\", \"embedding\": \"v\"}')", "42804"),
        ("kb_import('mine', 'odd', '{\"content\": \"c\", \"embedding\": \"v\"}')", "22P02"),
    ] {
        if call.contains("'good'") {
            client.run(
                "CREATE TABLE good AS SELECT 'text' AS c, '[1,2,3,4,5,6,7,8]'::halfvec AS v;
                 CREATE TABLE bad AS SELECT 'text' AS c, 42 AS v;
                 CREATE TABLE odd AS SELECT 'text' AS c, 'no vector' AS v",
            );
        }
        assert_eq!(client.state_of(&format!("SELECT * FROM {call}"), &[]), state, "{call}");
    }
    drop(database);
}
