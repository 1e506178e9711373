//! The functions that every role may execute: the manual lists them, and whatever an anonymous role calls
//! ends at statement_timeout.

use std::collections::BTreeSet;
use std::time::Duration;

use kb_rag_cluster_tests::{Database, INTERRUPT_LIMIT, Outcome, Session, processor_time};
use postgres::Client;

const MANUAL: &str = include_str!("../../../docs/security.md");

/// Functions and procedures of the extension that PUBLIC may execute.
fn of_everybody(client: &mut Client) -> BTreeSet<String> {
    client
        .column::<String>(
            "SELECT p.proname::text FROM pg_proc p
             JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
             JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid AND e.extname = 'kb_rag'
             WHERE has_function_privilege('public', p.oid, 'EXECUTE')",
            &[],
        )
        .into_iter()
        .collect()
}

/// The names in backticks in the first column of the table below a heading of the manual.
fn listed_in_the_manual(heading: &str) -> BTreeSet<String> {
    let (_, section) = MANUAL.split_once(&format!("## {heading}\n")).unwrap();
    let section = section.split_once("\n#").map_or(section, |(section, _)| section);
    section
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once(" |"))
        .flat_map(|(names, _)| {
            names.split(',').map(|name| name.trim().trim_matches('`').to_string()).collect::<Vec<_>>()
        })
        .map(|name| name.trim_start_matches("kb_rag.").to_string())
        .collect()
}

#[test]
fn the_manual_lists_what_every_role_may_execute() {
    let database = Database::create();
    let mut client = database.connect();
    let listed = listed_in_the_manual("What may everybody execute?");
    assert!(listed.len() > 20, "{listed:?}");
    assert_eq!(listed, of_everybody(&mut client));
}

/// 55 MB of words.
const HUGE: &str = "repeat('Words of a very long text, and more. ', 1500000)";
/// The longest question, of words of the base; and one with as many distinct words as fit.
const QUESTION: &str = "left(repeat('alpha beta gamma delta epsilon ', 3000), 65500)";
const WORDS: &str = "left((SELECT string_agg('w' || n, ' ') FROM generate_series(1, 12000) n), 65500)";

/// The most expensive known calls of each function, for a role with no privileges except those of PUBLIC.
fn worst_calls() -> Vec<(&'static str, Vec<String>)> {
    let calls = |calls: &[&str]| -> Vec<String> {
        calls
            .iter()
            .map(|call| call.replace("HUGE", HUGE).replace("QUESTION", QUESTION).replace("WORDS", WORDS))
            .collect()
    };
    let chunk = |more: &str| format!("SELECT count(*) FROM kb_chunk({HUGE}, {more})");
    vec![
        (
            "kb_chunk",
            ["text", "markdown", "code", "csv", "semantic", "none"]
                .iter()
                .flat_map(|strategy| {
                    [
                        chunk(&format!("strategy => '{strategy}'")),
                        chunk(&format!("20, 19, strategy => '{strategy}'")),
                        chunk(&format!("254, 40, unit => 'token', strategy => '{strategy}'")),
                    ]
                })
                .chain(calls(&[
                    "SELECT count(*) FROM kb_chunk(repeat('x', 50000000), 254, 40, unit => 'token')",
                    "SELECT count(*) FROM kb_chunk(repeat('. ', 25000000), 1, 0)",
                    "SELECT count(*) FROM kb_chunk(repeat(E'# a\\n', 12500000), strategy => 'markdown')",
                    "SELECT count(*) FROM kb_chunk(repeat(E'> - | ``` * ', 4000000), strategy => 'markdown')",
                    "SELECT count(*) FROM kb_chunk(repeat(E'```\\n', 12500000), strategy => 'markdown')",
                    "SELECT count(*) FROM kb_chunk(E'|a|b|\\n|-|-|\\n' || repeat('|', 50000000), strategy => 'markdown')",
                    "SELECT count(*) FROM kb_chunk(repeat(E'\"a,\\n', 12500000), strategy => 'csv')",
                    "SELECT count(*) FROM kb_chunk(repeat('a,', 25000000), 20, 19, strategy => 'csv')",
                ]))
                .collect(),
        ),
        (
            "kb_embed",
            calls(&[
                "SELECT kb_embed(HUGE)",
                "SELECT kb_embed(HUGE, 'fake/x', 16000)",
                "SELECT kb_embed('x', HUGE)",
                "SELECT count(kb_embed('text ' || n)) FROM generate_series(1, 1000000) n",
                "SELECT count(kb_embed('text ' || n, 'fake/x', 16000)) FROM generate_series(1, 1000000) n",
            ]),
        ),
        (
            "kb_embed_batch",
            calls(&[
                "SELECT count(*) FROM kb_embed_batch((SELECT array_agg('text ' || n) FROM generate_series(1, 100000) n))",
                "SELECT count(*) FROM kb_embed_batch((SELECT array_agg('text ' || n) FROM generate_series(1, 100000) n), 'fake/x', 1000)",
                "SELECT count(*) FROM kb_embed_batch(ARRAY[HUGE, HUGE], 'fake/x', 8)",
            ]),
        ),
        (
            "kb_search",
            calls(&[
                "SELECT count(*) FROM kb_search(QUESTION, 'open', match_count => 1000)",
                "SELECT count(*) FROM kb_search(WORDS, 'open', 'keyword', match_count => 1000)",
                "SELECT count(*) FROM kb_search(QUESTION, 'open', 'keyword', ranker => 'ts_rank_cd', match_count => 1000)",
                "SELECT count(*) FROM kb_search(HUGE, 'open')",
                "SELECT count(*) FROM kb_search('x', HUGE)",
                "SELECT count(*) FROM kb_search('alpha', 'open', filter => (repeat('{\"a\":', 1000) || '1' || repeat('}', 1000))::jsonb)",
                "SELECT count(*) FROM kb_search('alpha', 'open', filter => (SELECT jsonb_object_agg(n, n) FROM generate_series(1, 200000) n))",
                "SELECT count(*) FROM generate_series(1, 1000000) n, LATERAL kb_search('alpha ' || n, 'open', 'semantic', match_count => 1000)",
            ]),
        ),
        (
            "kb_hybrid_search",
            calls(&[
                "SELECT count(*) FROM kb_hybrid_search(WORDS, 'open', fusion => 'relative', match_count => 1000)",
                "SELECT count(*) FROM generate_series(1, 1000000) n, LATERAL kb_hybrid_search('alpha beta ' || n, 'open')",
            ]),
        ),
        (
            "match_knowledge_chunks",
            calls(&[
                "SELECT count(*) FROM generate_series(1, 1000000) n,
                     LATERAL match_knowledge_chunks((SELECT id FROM kb_list()), (SELECT kb_embed('x', 'fake/x', 8)), 1000 + n % 1, -1)",
            ]),
        ),
        (
            "chunk_tsv",
            calls(&[
                "SELECT kb_rag.chunk_tsv('english', HUGE, HUGE, HUGE, 2, true)",
                "SELECT count(kb_rag.chunk_tsv('simple', 'a title', NULL, left(t || n, 1048576), 1 + n % 2, n % 3 = 0)) FROM repeat('a-', 524288) t, generate_series(1, 1000) n",
                "SELECT count(kb_rag.to_tsvector('simple', left(t || n, 349520), 2)) FROM repeat('数据库', 120000) t, generate_series(1, 1000) n",
            ]),
        ),
        (
            "to_tsvector",
            calls(&[
                "SELECT kb_rag.to_tsvector('english', HUGE)",
                "SELECT kb_rag.to_tsvector('simple', (SELECT string_agg('w' || n, ' ') FROM generate_series(1, 3000000) n))",
                "SELECT kb_rag.to_tsvector('simple', repeat('数据库', 15000000))",
                "SELECT kb_rag.to_tsvector('simple', repeat('x', 50000000))",
                "SELECT kb_rag.to_tsvector('simple', repeat('<a href=\"', 5000000))",
                "SELECT kb_rag.to_tsvector('english', repeat('a-', 25000000))",
                "SELECT kb_rag.to_tsvector('english', repeat('1.', 25000000))",
                "SELECT kb_rag.to_tsvector('english', repeat('a@', 25000000))",
                "SELECT kb_rag.to_tsvector('english', repeat('/a', 25000000))",
                "SELECT count(kb_rag.to_tsvector('simple', left(t || n, 1048576))) FROM repeat('a-', 524288) t, generate_series(1, 1000) n",
                "SELECT count(kb_rag.to_tsvector('simple', left(t || n, 349520))) FROM repeat('数据库', 120000) t, generate_series(1, 1000) n",
            ]),
        ),
        (
            "word_count",
            calls(&[
                "SELECT sum(kb_rag.word_count(t)) FROM (SELECT to_tsvector('simple', string_agg('w' || n, ' ')) AS t FROM generate_series(1, 60000) n) s,
                     generate_series(1, 1000000) WHERE length(t) > 0",
            ]),
        ),
        (
            "iso_time",
            calls(&[
                "SELECT count(kb_rag.iso_time('2024-01-01T00:00:00.' || repeat('1', 50000000) || n)) FROM generate_series(1, 1000000) n",
                "SELECT count(kb_rag.iso_time(repeat(' ', 50000000) || n)) FROM generate_series(1, 1000000) n",
            ]),
        ),
        (
            "filter_number",
            calls(&["SELECT count(kb_rag.filter_number(jsonb_build_object('a', n), 'a')) FROM generate_series(1, 100000000) n"]),
        ),
        (
            "filter_time",
            calls(&["SELECT count(kb_rag.filter_time(jsonb_build_object('a', HUGE || n), 'a')) FROM generate_series(1, 1000000) n"]),
        ),
        ("url_encode", calls(&["SELECT length(kb_rag.url_encode(HUGE))", "SELECT length(kb_rag.url_encode(repeat('é', 25000000)))"])),
        (
            "condition_holds",
            calls(&[
                "SELECT count(*) FROM generate_series(1, 100000000) n WHERE kb_rag.condition_holds('n > 0', '{n}', n::text, n)",
                "SELECT kb_rag.condition_holds(HUGE, '{n}', 'k', 1)",
            ]),
        ),
        (
            "as_jsonb",
            calls(&[
                "SELECT count(kb_rag.as_jsonb(n)) FROM generate_series(1, 100000000) n",
                "SELECT pg_column_size(kb_rag.as_jsonb(array_fill(HUGE, ARRAY[100])))",
            ]),
        ),
        ("is_same", calls(&["SELECT count(*) FROM generate_series(1, 1000000), (SELECT HUGE AS t OFFSET 0) s WHERE kb_rag.is_same(t || 'a', t || 'b')"])),
        ("text_config", calls(&["SELECT kb_rag.text_config(HUGE, HUGE)", "SELECT count(kb_rag.text_config('de' || n, 'x')) FROM generate_series(1, 100000000) n"])),
        ("uuid_v7", calls(&["SELECT count(kb_rag.uuid_v7()) FROM generate_series(1, 100000000)"])),
        ("kb_list", calls(&["SELECT count(*) FROM generate_series(1, 20000000) n, LATERAL (SELECT count(*) FROM kb_list() WHERE n > 0) s"])),
        ("kb_provider_list", calls(&["SELECT count(*) FROM generate_series(1, 1000000) n, LATERAL (SELECT count(*) FROM kb_provider_list() WHERE n > 0) s"])),
        ("base_status", calls(&["SELECT count(*) FROM kb_rag.status, generate_series(1, 1000000)", "SELECT (SELECT max(documents) FROM kb_rag.base_status() WHERE n > 0) FROM generate_series(1, 1000000) n"])),
        ("failures", calls(&["SELECT (SELECT count(*) FROM kb_rag.failures() WHERE n > 0) FROM generate_series(1, 1000000) n"])),
        ("agent_has_bases", calls(&["SELECT (SELECT kb_rag.agent_has_bases(gen_random_uuid()) WHERE n > 0) FROM generate_series(1, 100000000) n"])),
        ("administers_agent", calls(&["SELECT (SELECT kb_rag.administers_agent(gen_random_uuid()) WHERE n > 0) FROM generate_series(1, 100000000) n"])),
        ("is_node", calls(&["SELECT count(*) FROM generate_series(1, 100000000) n WHERE kb_rag.is_node(n)"])),
        ("vouched_process", calls(&["SELECT max(kb_rag.vouched_process()) FROM generate_series(1, 100000000) n"])),
        ("node_state", calls(&["SELECT (SELECT kb_rag.node_state() WHERE n > 0) FROM generate_series(1, 100000000) n"])),
        ("part_statistics", calls(&["SELECT kb_rag.part_statistics(jsonb_build_array(1, HUGE))", "SELECT (SELECT kb_rag.part_statistics('[1, {\"question\": {\"query\": \"tea\", \"mode\": \"Keyword\", \"is_web\": false, \"ranker\": \"bm25\"}, \"scope\": {\"All\": {\"leaves_out_untrusted\": true}}}, {\"names\": []}]') WHERE n > 0) FROM generate_series(1, 100000000) n"])),
        ("part_candidates", calls(&["SELECT kb_rag.part_candidates(jsonb_build_array(1, HUGE))"])),
        ("part_rows", calls(&["SELECT kb_rag.part_rows(jsonb_build_array(1, HUGE))"])),
        ("part_hints", calls(&["SELECT kb_rag.part_hints(jsonb_build_array(1, HUGE))"])),
        ("part_tools", calls(&["SELECT kb_rag.part_tools(jsonb_build_array(1, HUGE))", "SELECT (SELECT kb_rag.part_tools('[1, {\"ask\": {\"bases\": {\"notifies\": false}}}, {\"bases\": []}]') WHERE n > 0) FROM generate_series(1, 100000000) n"])),
        ("part_documents", calls(&["SELECT kb_rag.part_documents(jsonb_build_array(1, HUGE))", "SELECT (SELECT kb_rag.part_documents('[1, \"counts\", {\"of\": []}]') WHERE n > 0) FROM generate_series(1, 100000000) n"])),
        ("cluster_nodes", calls(&["SELECT (SELECT count(*) FROM kb_rag.cluster_nodes() WHERE n > 0) FROM generate_series(1, 100000000) n"])),
        ("current_versions", calls(&["SELECT (SELECT max(version) FROM kb_rag.current_versions() WHERE n > 0) FROM generate_series(1, 100000000) n"])),
        ("row_is_visible", calls(&["SELECT count(kb_rag.row_is_visible(kb_rag.uuid_v7(), 'x')) FROM generate_series(1, 100000000)"])),
        ("source_overview", calls(&["SELECT (SELECT count(*) FROM kb_rag.source_overview() WHERE n > 0) FROM generate_series(1, 1000000) n"])),
        ("kb_estimate", calls(&["SELECT (SELECT max(tokens) FROM kb_estimate('open', 'fake/y') WHERE n > 0) FROM generate_series(1, 1000000) n",
            "SELECT (SELECT max(tokens) FROM kb_estimate('open', 'fake/y', true) WHERE n > 0) FROM generate_series(1, 1000000) n"])),
        (
            "kb_lexemes",
            calls(&[
                "SELECT count(*) FROM kb_lexemes(HUGE, 'open')",
                "SELECT count(*) FROM kb_lexemes(repeat('日', 349000), 'open')",
                "SELECT count(*) FROM generate_series(1, 1000000) n, LATERAL kb_lexemes(WORDS || n, 'open')",
            ]),
        ),
        (
            "kb_highlight",
            calls(&[
                "SELECT kb_highlight(HUGE, WORDS, 'open')",
                "SELECT count(kb_highlight(WORDS || n, WORDS, 'open')) FROM generate_series(1, 1000000) n",
                "SELECT kb_highlight(HUGE, WORDS, 'open', max_chars => NULL)",
            ]),
        ),
        ("kb_warm_query", calls(&["SELECT kb_warm_query(QUESTION, 'open')", "SELECT kb_warm_query(HUGE, 'open')"])),
        (
            "kb_search_documents",
            calls(&[
                "SELECT count(*) FROM kb_search_documents(WORDS, 'open', 10000, 'keyword', level => 'content')",
                "SELECT count(*) FROM generate_series(1, 1000000) n, LATERAL kb_search_documents('alpha ' || n, 'open', 1000)",
            ]),
        ),
        (
            "kb_browse",
            calls(&[
                "SELECT count(*) FROM kb_browse('open', match_count => 10000)",
                "SELECT count(*) FROM generate_series(1, 1000000) n, LATERAL kb_browse('open', match_offset => n)",
                "SELECT count(*) FROM generate_series(1, 1000000) n, LATERAL kb_browse('open', HUGE || n)",
                "SELECT count(*) FROM generate_series(1, 1000000) n, LATERAL kb_browse('open', filter => jsonb_build_object('a', jsonb_build_object('$in', jsonb_build_array(n, HUGE))))",
            ]),
        ),
        ("kb_stats", calls(&["SELECT count(*) FROM generate_series(1, 20000000) n, LATERAL (SELECT count(*) FROM kb_stats('open') WHERE n > 0) s"])),
        (
            "kb_read",
            calls(&[
                "SELECT count(*) FROM generate_series(1, 1000000), LATERAL (SELECT id FROM kb_open.document OFFSET 0) d, LATERAL kb_read(d.id, 'abstract', 'open')",
                "SELECT * FROM kb_read((SELECT id FROM kb_open.document LIMIT 1), HUGE)",
            ]),
        ),
        // Calls that these functions reject.
        (
            "kb_delete_where",
            calls(&[
                "SELECT kb_delete_where('open', '{\"$source\": {\"$like\": \"%a%b%\"}}')",
                "SELECT count(kb_delete_where('open', jsonb_build_object('a', HUGE || n))) FROM generate_series(1, 1000000) n",
            ]),
        ),
        ("kb_delete", calls(&["SELECT kb_delete((SELECT id FROM kb_open.document LIMIT 1), 'open')", "SELECT count(kb_delete(gen_random_uuid())) FROM generate_series(1, 1000000)"])),
        ("kb_refresh", calls(&["SELECT kb_refresh((SELECT id FROM kb_open.document LIMIT 1), 'open')", "SELECT count(kb_refresh(gen_random_uuid())) FROM generate_series(1, 1000000)"])),
        ("kb_add_file", calls(&["SELECT kb_add_file('open', convert_to(HUGE, 'UTF8'), HUGE)", "SELECT kb_add_file(HUGE, convert_to(HUGE, 'UTF8'), 'a.txt')"])),
        ("kb_add_url", calls(&["SELECT kb_add_url('open', 'https://example.com/')", "SELECT kb_add_url('open', HUGE)", "SELECT kb_add_url(HUGE, 'https://example.com/', exclude_patterns => ARRAY[HUGE])"])),
        ("kb_source_list", calls(&["SELECT count(*) FROM generate_series(1, 20000000) n, LATERAL (SELECT count(*) FROM kb_source_list('open') WHERE n > 0) s", "SELECT count(*) FROM kb_source_list(HUGE)"])),
        ("kb_source_sync", calls(&["SELECT sum(kb_source_sync()) FROM generate_series(1, 1000000)", "SELECT kb_source_sync(gen_random_uuid())"])),
        ("kb_source_drop", calls(&["SELECT kb_source_drop(gen_random_uuid())"])),
        ("kb_add_output", calls(&["SELECT kb_add_output('open', HUGE, HUGE)", "SELECT kb_add_output('open', HUGE, metadata => (SELECT jsonb_object_agg(n, n) FROM generate_series(1, 200000) n))"])),
        (
            "kb_add",
            calls(&["SELECT kb_add('open', HUGE)", "SELECT kb_add(HUGE, HUGE)", "SELECT kb_add('open', 'x', language => HUGE)"]),
        ),
        ("kb_import", calls(&["SELECT kb_import('open', 'pg_class', (SELECT jsonb_object_agg(n, n) FROM generate_series(1, 200000) n))"])),
        ("kb_attach", calls(&["SELECT kb_attach('pg_class', HUGE, 'relname')", "SELECT kb_attach('pg_class', 'open', 'relname')"])),
        ("kb_detach", calls(&["SELECT kb_detach('pg_class', HUGE)"])),
        ("kb_agent", calls(&["SELECT kb_agent(HUGE)", "SELECT count(kb_agent('agent ' || n)) FROM generate_series(1, 100000000) n"])),
        ("kb_attach_agent", calls(&["SELECT kb_attach_agent('a0000000-0000-0000-0000-00000000000a', 'open')", "SELECT kb_attach_agent('a0000000-0000-0000-0000-00000000000a', 'open', (SELECT jsonb_object_agg(n, n) FROM generate_series(1, 200000) n))"])),
        ("kb_detach_agent", calls(&["SELECT kb_detach_agent('a0000000-0000-0000-0000-00000000000a', 'open')"])),
        ("kb_agent_drop", calls(&["SELECT kb_agent_drop('a0000000-0000-0000-0000-00000000000a', true)", "SELECT sum(kb_agent_drop(gen_random_uuid(), true)) FROM generate_series(1, 1000000)"])),
        ("kb_agent_configure", calls(&["SELECT kb_agent_configure('a0000000-0000-0000-0000-00000000000a', false)", "SELECT count(kb_agent_configure((SELECT id FROM kb_list() WHERE n > 0), false)) FROM generate_series(1, 1000000) n"])),
        ("kb_agent_list", calls(&["SELECT count(*) FROM generate_series(1, 20000000) n, LATERAL (SELECT count(*) FROM kb_agent_list() WHERE n > 0) s", "SELECT count(*) FROM kb_agent_list(HUGE)", "SELECT count(*) FROM generate_series(1, 20000000) n, LATERAL (SELECT count(*) FROM kb_agent_list(unattached => true) WHERE n > 0) s"])),
        ("kb_context", calls(&["SELECT count(kb_context(QUESTION || n, 'open')) FROM generate_series(1, 100000) n", "SELECT kb_context(HUGE, 'open')", "SELECT kb_context('alpha beta', 'open', 10000, -1, max_chars => 9000000)"])),
        ("kb_tools", calls(&["SELECT count(*) FROM generate_series(1, 20000000) n, LATERAL (SELECT kb_tools(NULL, CASE WHEN n > 0 THEN 'openai' END)) s"])),
        ("kb_question_add", calls(&["SELECT kb_question_add('open', HUGE)", "SELECT kb_question_add(HUGE, 'q')", "SELECT kb_question_add('open', 'q', expected_texts => ARRAY[HUGE])"])),
        ("kb_explain", calls(&["SELECT count(kb_explain(QUESTION || n, 'open', match_count => 10000)) FROM generate_series(1, 100000) n", "SELECT kb_explain(HUGE, 'open')", "SELECT kb_explain('alpha', 'open', filter => (SELECT jsonb_object_agg(n, n) FROM generate_series(1, 200000) n))"])),
        ("kb_question_draft", calls(&["SELECT count(*) FROM kb_question_draft('open', 1000)", "SELECT count(*) FROM kb_question_draft(HUGE)"])),
        ("kb_evaluate", calls(&["SELECT count(*) FROM kb_evaluate('open', (SELECT jsonb_agg('{}'::jsonb) FROM generate_series(1, 200000)))", "SELECT count(*) FROM kb_evaluate(HUGE)", "SELECT count(*) FROM kb_evaluate('open', '{}', HUGE, HUGE)"])),
        ("kb_evaluate_questions", calls(&["SELECT count(*) FROM kb_evaluate_questions('open', jsonb_build_object(HUGE, 1))", "SELECT count(*) FROM kb_evaluate_questions('open', tag => HUGE)"])),
        ("kb_compare", calls(&["SELECT count(*) FROM kb_compare('open', to_jsonb(HUGE::text), '{}')", "SELECT count(*) FROM kb_compare('open', '{}', (SELECT jsonb_agg('{}'::jsonb) FROM generate_series(1, 200000)))"])),
        ("kb_suggest", calls(&["SELECT count(*) FROM kb_suggest('open', HUGE)", "SELECT count(*) FROM generate_series(1, 20000000) n, LATERAL (SELECT count(*) FROM kb_suggest('open', n::text)) s"])),
        ("kb_tools_config", calls(&["SELECT count(*) FROM generate_series(1, 20000000) n, LATERAL (SELECT kb_tools_config(CASE WHEN n > 0 THEN 'shell' END)) s", "SELECT kb_tools_config('json', HUGE)", "SELECT kb_tools_config(HUGE)"])),
        ("kb_call_tool", calls(&["SELECT count(kb_call_tool('search_knowledge', jsonb_build_object('query', QUESTION || n))) FROM generate_series(1, 100000) n", "SELECT kb_call_tool('search_open', jsonb_build_object('query', HUGE))", "SELECT kb_call_tool(HUGE, '{}')"])),
        ("kb_snippets", calls(&["SELECT count(kb_snippets(jsonb_build_array(jsonb_build_object('role', 'user', 'content', QUESTION || n)), 10000)) FROM generate_series(1, 100000) n", "SELECT kb_snippets(jsonb_build_array(jsonb_build_object('role', 'user', 'content', HUGE)))"])),
        (
            "kb_retrieve",
            calls(&[
                "SELECT count(kb_retrieve(jsonb_build_object('type', 'pgvector', 'hostname', 'h', 'port', 1, 'password', '${P}', 'collection', 'kb_open.mine', 'embedding_model', 'fake/test', 'embedding_dimensions', 8), jsonb_build_array(jsonb_build_object('role', 'user', 'content', QUESTION || n)))) FROM generate_series(1, 100000) n",
                "SELECT kb_retrieve(jsonb_build_object('type', HUGE), jsonb_build_array(jsonb_build_object('role', 'user', 'content', HUGE)))",
            ]),
        ),
        ("kb_check_search", calls(&["SELECT kb_check_search((SELECT jsonb_object_agg(n, n) || '{\"type\": \"pgvector\"}' FROM generate_series(1, 200000) n))", "SELECT kb_check_search(jsonb_build_object('type', 'pgvector', 'collection', HUGE))"])),
        ("kb_rewrite_query", calls(&["SELECT count(kb_rewrite_query(jsonb_build_array(jsonb_build_object('role', 'user', 'content', HUGE || n)))) FROM generate_series(1, 1000000) n"])),
        ("kb_prompt_list", calls(&["SELECT count(*) FROM generate_series(1, 20000000) n, LATERAL (SELECT count(*) FROM kb_prompt_list() WHERE n > 0) s"])),
        ("logged_search", calls(&["SELECT count(*) FROM generate_series(1, 1000000) n, LATERAL kb_rag.logged_search('alpha beta ' || n, 'open', session_id => QUESTION)", "SELECT count(*) FROM kb_rag.logged_search(HUGE, 'open')"])),
        ("administered_bases", calls(&["SELECT (SELECT kb_rag.administered_bases() WHERE n > 0) FROM generate_series(1, 1000000) n"])),
        ("unsecured_bases", calls(&["SELECT (SELECT kb_rag.unsecured_bases() WHERE n > 0) FROM generate_series(1, 1000000) n"])),
        ("kb_configure", calls(&["SELECT kb_configure('open', model => HUGE)", "SELECT kb_configure('open', summaries => HUGE)", "SELECT kb_configure('open', chunk_size => 100)"])),
        ("kb_expose", calls(&["SELECT kb_expose('open')", "SELECT kb_expose(HUGE)", "SELECT kb_expose('open', HUGE)", "SELECT kb_expose('open', name => HUGE)", "SELECT kb_expose('open', content_key => HUGE)"])),
        ("kb_drop", calls(&["SELECT kb_drop('open')", "SELECT kb_drop(HUGE)"])),
        ("kb_rename", calls(&["SELECT kb_rename('open', HUGE)", "SELECT kb_rename('open', 'x')", "SELECT kb_rename(HUGE, 'x')"])),
        ("kb_grant", calls(&["SELECT kb_grant('open', HUGE, 'admin')"])),
        ("kb_revoke", calls(&["SELECT kb_revoke('open', HUGE, 'read')"])),
        ("kb_reconcile", calls(&["SELECT kb_reconcile('open')"])),
        ("kb_reindex", calls(&["SELECT kb_reindex('open')"])),
        ("kb_retry", calls(&["SELECT kb_retry('open')"])),
        ("kb_work", calls(&["CALL kb_work(1000000)"])),
    ]
}

#[test]
fn the_worst_call_of_an_anonymous_role_ends_at_statement_timeout() {
    const TIMEOUT: Duration = Duration::from_millis(500);
    let (database, mut owner) = Database::with_base("open");
    owner.run(
        "INSERT INTO kb_open.document (title, content)
         SELECT 'Letters ' || n, repeat((ARRAY['alpha ', 'beta ', 'gamma ', 'delta ', 'epsilon '])[1 + n % 5], 5) || 'alpha beta number ' || n
             || (SELECT string_agg(' w' || (n * 37 + m * 101) % 12000, '') FROM generate_series(1, 20) m)
         FROM generate_series(1, 5000) n;
         SELECT kb_grant('open', 'public', 'read')",
    );
    let anonymous = database.create_role("anonymous");
    let calls = worst_calls();
    let tried: BTreeSet<String> = calls.iter().map(|(name, _)| name.to_string()).collect();
    assert_eq!(tried, of_everybody(&mut owner), "each function has its worst call here");
    let mut late = Vec::new();
    let mut ended_by_timeout = BTreeSet::new();
    for (name, calls) in calls {
        for call in calls {
            let mut client = database.connect_as(&anonymous);
            client.run(&format!("SET statement_timeout = {}", TIMEOUT.as_millis()));
            // Not the time that passes, which others make longer.
            let pid = client.pid();
            let before = processor_time(pid);
            let outcome = Outcome::spawn(client, &call).join().unwrap();
            let took = processor_time(pid) - before;
            println!("{took:?} {} {call}", outcome.state);
            if took > TIMEOUT + INTERRUPT_LIMIT {
                late.push((took, outcome.state, call));
            } else if outcome.state == "57014" {
                ended_by_timeout.insert(name);
            } else {
                let refused =
                    ["00000", "22023", "42501", "42704", "54000", "22001", "0A000", "54011", "42602"]
                        .contains(&&*outcome.state);
                assert!(refused, "{} {call}", outcome.state);
            }
        }
    }
    assert!(late.is_empty(), "continued after the timeout: {late:#?}");
    // They were long enough to be stopped.
    for name in [
        "kb_chunk",
        "kb_embed",
        "kb_embed_batch",
        "kb_search",
        "kb_search_documents",
        "kb_browse",
        "kb_stats",
        "kb_read",
        "chunk_tsv",
        "to_tsvector",
        "uuid_v7",
        "kb_list",
    ] {
        assert!(ended_by_timeout.contains(name), "{name}: {ended_by_timeout:?}");
    }
    // The role found what every role may read, and nothing else.
    let mut client = database.connect_as(&anonymous);
    assert_eq!(client.column::<String>("SELECT name FROM kb_list()", &[]), ["open"]);
}
