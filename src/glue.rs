//! Tests of what only a backend can run: values through pgrx and back. tests/pg_regress tests what users see.

// These are tests, which clippy does not recognize where pgrx builds them into the library.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::time::Duration;

use pgrx::prelude::*;

use crate::agent::{ConfigFormat, Format, Style, Which};
use crate::attach;
use crate::base::{DEFAULT_CONTENT_KEY, Layout, RowSecurity, Settings};
use crate::choice::Choice;
use crate::chunking::ChunkSettings;
use crate::document::{DEFAULT_BROWSE_COUNT, Level};
use crate::evaluation;
use crate::ingest;
use crate::model;
use crate::pipeline;
use crate::postgres::interrupt;
use crate::postgres::jsonb::Jsonb;
use crate::postgres::vector::Vector;
use crate::provider;
use crate::search::{
    self, DEFAULT_MATCH_COUNT, DEFAULT_MATCH_OFFSET, DEFAULT_RRF_K, DEFAULT_THRESHOLD, DEFAULT_WEIGHT,
    Fusion, Syntax,
};
use crate::web::{BASIC, ContentType, DEFAULT_DEPTH, DEFAULT_PAGES};

#[pg_schema]
mod tests {
    use super::*;

    fn datum_round_trip<T: IntoDatum + FromDatum>(value: T) -> T {
        let datum = value.into_datum().unwrap();
        // SAFETY: the datum was made from a T just now.
        unsafe { T::from_datum(datum, false).unwrap() }
    }

    #[pg_test]
    fn times_of_statements_are_bounded() {
        let max = Duration::from_secs(60);
        let times = [f64::NAN, f64::NEG_INFINITY, -1.0, 0.25, 60.5, 1e300, f64::INFINITY];
        let bounded = times.map(|seconds| interrupt::time_of(seconds, max).as_millis());
        assert_eq!(bounded, [0, 0, 0, 250, 60_000, 60_000, 60_000]);
    }

    #[pg_test]
    fn each_public_function_has_a_way_to_other_nodes() {
        let public =
            "SELECT array_agg(name ORDER BY name COLLATE \"C\") FROM (SELECT DISTINCT p.proname::text AS name FROM pg_proc p
            JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
            JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid
                AND e.extname = 'kb_rag' AND e.extnamespace = p.pronamespace) f";
        let public: Vec<String> = Spi::get_one(public).unwrap().unwrap();
        assert_eq!(crate::cluster::FUNCTIONS.map(|(name, _)| name.to_string()).to_vec(), public);
    }

    #[pg_test]
    fn a_vector_survives_a_datum() {
        for vector in [vec![1.0], vec![0.5, -0.25, 1e-30], (0..2000).map(|n| n as f32).collect()] {
            assert_eq!(datum_round_trip(Vector(vector.clone())).0, vector);
        }
    }

    #[pg_test]
    fn a_jsonb_survives_a_datum_and_knows_what_it_is() {
        for (text, is_object, is_empty) in [
            ("{}", true, true),
            ("{\"a\": [1, {\"b\": null}], \"n\": 12345678901234567890.5}", true, false),
            ("[]", false, false),
            ("[{}]", false, false),
            ("1", false, false),
            ("null", false, false),
        ] {
            let value = Spi::get_one_with_args::<Jsonb>("SELECT $1::jsonb", &[text.into()]).unwrap().unwrap();
            assert_eq!((value.is_object(), value.is_empty_object()), (is_object, is_empty), "{text}");
            let same = Spi::get_one_with_args::<bool>(
                "SELECT $1::jsonb = $2::jsonb",
                &[datum_round_trip(value).into(), text.into()],
            );
            assert_eq!(same, Ok(Some(true)), "{text}");
        }
    }

    #[pg_test]
    fn identifiers_are_version_7_and_ordered_by_time() {
        let first = crate::postgres::uuid::v7().unwrap();
        // The first of another millisecond: the time is at the beginning.
        let of_other_time = |id: &pgrx::Uuid| id.as_bytes()[..6] != first.as_bytes()[..6];
        let mut later = std::iter::repeat_with(|| crate::postgres::uuid::v7().unwrap());
        assert!(later.find(of_other_time).is_some_and(|second| first < second));
        assert_eq!((first.as_bytes()[6] >> 4, first.as_bytes()[8] >> 6), (7, 2));
    }

    /// The defaults of all arguments of the functions whose names match, by function and argument, as text; None for NULL.
    fn argument_defaults(functions: &str) -> BTreeMap<(String, String), Option<String>> {
        let listed = "SELECT p.proname::text, p.proargnames[n], pg_get_function_arg_default(p.oid, n)
            FROM pg_proc p
            JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
            JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'kb_rag'
            CROSS JOIN generate_series(1, p.pronargs) n
            WHERE p.proname ~ $1 AND pg_get_function_arg_default(p.oid, n) IS NOT NULL";
        let expressions: Vec<(String, String, String)> = Spi::connect(|client| {
            let text = |row: &pgrx::spi::SpiHeapTupleData, n| row.get::<String>(n).unwrap().unwrap();
            client
                .select(listed, None, &[functions.into()])
                .unwrap()
                .map(|row| (text(&row, 1), text(&row, 2), text(&row, 3)))
                .collect()
        });
        expressions
            .into_iter()
            .map(|(function, argument, expression)| {
                let value = Spi::get_one::<String>(&format!("SELECT ({expression})::text")).unwrap();
                ((function, argument), value)
            })
            .collect()
    }

    /// NULL for an argument is its default in Rust, a call without it is the default in SQL.
    #[pg_test]
    fn the_defaults_of_sql_are_those_of_rust() {
        let settings = Settings::default();
        let chunks = ChunkSettings::of_text();
        let of_create = settings
            .values()
            .into_iter()
            // They depend on the session and the model: the default is NULL. Formats and summaries are no arguments.
            .filter(|(name, _)| {
                !matches!(
                    *name,
                    "model"
                        | "dimensions"
                        | "text_config"
                        | "match_threshold"
                        | "answer_threshold"
                        | "lexeme_format"
                        | "summaries"
                )
            })
            .map(|(name, value)| ("kb_create", name, value.to_string()));
        let others = [
            ("kb_add", "metadata", "{}".to_string()),
            ("kb_add", "source_type", ingest::DEFAULT_SOURCE_TYPE.to_string()),
            ("kb_add_file", "metadata", "{}".to_string()),
            ("kb_add_output", "metadata", "{}".to_string()),
            ("kb_add_url", "auto_sync", bool::default().to_string()),
            ("kb_add_url", "content_type", ContentType::DEFAULT.name().to_string()),
            ("kb_add_url", "crawl_depth", DEFAULT_DEPTH.to_string()),
            ("kb_add_url", "exclude_patterns", "{}".to_string()),
            ("kb_add_url", "max_pages", DEFAULT_PAGES.to_string()),
            ("kb_add_url", "metadata", "{}".to_string()),
            ("kb_add_url", "scrape_method", BASIC.to_string()),
            ("kb_add_url", "sync_interval", "24:00:00".to_string()),
            ("kb_agent_drop", "delete_documents", bool::default().to_string()),
            ("kb_agent_list", "unattached", bool::default().to_string()),
            ("kb_attach_agent", "filter", "{}".to_string()),
            ("kb_attach", "if_not_exists", bool::default().to_string()),
            ("kb_create", "if_not_exists", bool::default().to_string()),
            ("kb_attach", "row_security", RowSecurity::DEFAULT.name().to_string()),
            ("kb_attach", "source_type", attach::DEFAULT_SOURCE_TYPE.to_string()),
            ("kb_attach", "wait", bool::default().to_string()),
            ("kb_browse", "filter", "{}".to_string()),
            ("kb_browse", "match_count", DEFAULT_BROWSE_COUNT.to_string()),
            ("kb_browse", "match_offset", i64::default().to_string()),
            ("kb_chunk", "chunk_overlap", chunks.overlap.to_string()),
            ("kb_chunk", "chunk_size", chunks.size.to_string()),
            ("kb_chunk", "strategy", chunks.strategy.name().to_string()),
            ("kb_chunk", "unit", chunks.unit.name().to_string()),
            ("kb_context", "filter", "{}".to_string()),
            ("kb_context", "match_count", DEFAULT_MATCH_COUNT.to_string()),
            ("kb_context", "duplicates", search::Duplicates::OF_TEXTS.name().to_string()),
            ("kb_context", "neighbors", search::DEFAULT_NEIGHBORS.to_string()),
            ("kb_context", "page_numbers", bool::default().to_string()),
            ("kb_context", "whole_document", bool::default().to_string()),
            ("kb_context", "mode", search::DEFAULT_MODE.name().to_string()),
            ("kb_context", "style", Style::DEFAULT.name().to_string()),
            ("kb_delete_where", "everything", bool::default().to_string()),
            ("kb_detach", "delete_documents", bool::default().to_string()),
            ("kb_provider_grant", "auto_sync", provider::Scope::ALL.auto_sync.to_string()),
            ("kb_highlight", "max_chars", search::DEFAULT_SNIPPET_CHARS.to_string()),
            ("kb_highlight", "start_sel", String::new()),
            ("kb_highlight", "stop_sel", String::new()),
            ("kb_highlight", "syntax", Syntax::DEFAULT.name().to_string()),
            ("kb_embed", "input_type", model::DEFAULT_INPUT_TYPE.name().to_string()),
            ("kb_expose", "content_key", DEFAULT_CONTENT_KEY.to_string()),
            ("kb_expose", "layout", Layout::DEFAULT.name().to_string()),
            ("kb_embed_batch", "input_type", model::DEFAULT_BATCH_INPUT_TYPE.name().to_string()),
            ("kb_source_sync", "force", bool::default().to_string()),
            ("kb_reconcile", "outdated", bool::default().to_string()),
            ("kb_delete_where", "everything", bool::default().to_string()),
            ("kb_estimate", "outdated", bool::default().to_string()),
            ("kb_read", "level", Level::OF_READ.name().to_string()),
            ("kb_search_documents", "duplicates", search::Duplicates::OF_ROWS.name().to_string()),
            ("kb_search_documents", "filter", "{}".to_string()),
            ("kb_search_documents", "snippet", bool::default().to_string()),
            ("kb_search_documents", "level", Level::OF_SEARCH.name().to_string()),
            ("kb_search_documents", "match_count", DEFAULT_MATCH_COUNT.to_string()),
            ("kb_search_documents", "match_offset", DEFAULT_MATCH_OFFSET.to_string()),
            ("kb_search_documents", "mode", search::DEFAULT_MODE.name().to_string()),
            ("kb_evaluate", "arguments", "{}".to_string()),
            ("kb_evaluate_questions", "arguments", "{}".to_string()),
            ("kb_question_add", "expected_documents", "{}".to_string()),
            ("kb_question_add", "expected_keys", "{}".to_string()),
            ("kb_question_add", "expected_texts", "{}".to_string()),
            ("kb_question_add", "filter", "{}".to_string()),
            ("kb_question_add", "tags", "{}".to_string()),
            ("kb_question_add", "weight", "1".to_string()),
            ("kb_question_draft", "question_count", evaluation::DEFAULT_DRAFTS.to_string()),
            ("kb_question_draft", "use_chat_model", bool::default().to_string()),
            ("kb_snippets", "top_k", DEFAULT_MATCH_COUNT.to_string()),
            ("kb_tools", "format", Format::DEFAULT.name().to_string()),
            ("kb_tools", "tools", Which::DEFAULT.name().to_string()),
            ("kb_tools_config", "format", ConfigFormat::DEFAULT.name().to_string()),
            ("kb_work", "max_seconds", pipeline::DEFAULT_SECONDS.to_string()),
        ];
        let of_searches = [
            ("kb_search", search::DEFAULT_FUSION),
            ("kb_explain", search::DEFAULT_FUSION),
            ("kb_hybrid_search", Fusion::ReciprocalRank),
        ];
        let of_searches = of_searches.into_iter().flat_map(|(function, fusion)| {
            [
                (function, "match_count", DEFAULT_MATCH_COUNT.to_string()),
                (function, "match_offset", DEFAULT_MATCH_OFFSET.to_string()),
                (function, "filter", "{}".to_string()),
                (function, "keyword_weight", DEFAULT_WEIGHT.to_string()),
                (function, "semantic_weight", DEFAULT_WEIGHT.to_string()),
                (function, "rrf_k", DEFAULT_RRF_K.to_string()),
                (function, "fusion", fusion.name().to_string()),
                (function, "syntax", Syntax::DEFAULT.name().to_string()),
            ]
        });
        let of_search = [
            ("kb_explain", "duplicates", search::Duplicates::OF_ROWS.name().to_string()),
            ("kb_explain", "mode", search::DEFAULT_MODE.name().to_string()),
            ("kb_search", "duplicates", search::Duplicates::OF_ROWS.name().to_string()),
            ("kb_search", "mode", search::DEFAULT_MODE.name().to_string()),
            ("kb_search", "neighbors", search::DEFAULT_NEIGHBORS.to_string()),
            ("kb_search", "snippet", bool::default().to_string()),
            ("match_knowledge_chunks", "p_match_count", DEFAULT_MATCH_COUNT.to_string()),
            ("match_knowledge_chunks", "p_match_threshold", DEFAULT_THRESHOLD.to_string()),
        ];
        let expected: BTreeMap<(String, String), String> = of_create
            .chain(others)
            .chain(of_searches)
            .chain(of_search)
            .map(|(function, argument, value)| ((function.to_string(), argument.to_string()), value))
            .collect();
        // Every default of every function, so that a new one fails here until it is listed.
        let actual = argument_defaults("^(kb|match)_");
        let actual: BTreeMap<_, _> =
            actual.into_iter().filter_map(|(key, value)| Some((key, value?))).collect();
        assert_eq!(actual, expected);
    }

    #[pg_test]
    fn the_default_jsonb_is_an_empty_object() {
        let same = Spi::get_one_with_args::<bool>(
            "SELECT $1::jsonb = '{}' AND pg_column_size($1::jsonb) = pg_column_size('{}'::jsonb)",
            &[Jsonb::default().into()],
        );
        assert_eq!(same, Ok(Some(true)));
        assert!(Jsonb::default().is_empty_object());
    }

    /// kb_configure takes the settings of kb_create, and NULL leaves each as it is.
    #[pg_test]
    fn kb_configure_changes_nothing_by_default() {
        let defaults = argument_defaults("^kb_configure$");
        for (name, _) in Settings::default().values() {
            assert_eq!(defaults[&("kb_configure".to_string(), name.to_string())], None, "{name}");
        }
    }

    thread_local! {
        /// How many parameters each planned statement had; None where it got no list.
        static PLANNED: std::cell::RefCell<Vec<Option<i32>>> = const { std::cell::RefCell::new(Vec::new()) };
    }

    #[pg_guard]
    unsafe extern "C-unwind" fn note_parameters(
        query: *mut pgrx::pg_sys::Query,
        text: *const std::ffi::c_char,
        options: i32,
        parameters: pgrx::pg_sys::ParamListInfo,
    ) -> *mut pgrx::pg_sys::PlannedStmt {
        // SAFETY: as PostgreSQL calls a planner.
        unsafe {
            PLANNED.with_borrow_mut(|planned| planned.push(parameters.as_ref().map(|list| list.numParams)));
            pgrx::pg_sys::standard_planner(query, text, options, parameters)
        }
    }

    /// Other extensions that plan statements copy the parameter list. As in PostgreSQL, a statement without parameters
    /// must have no list.
    #[pg_test]
    fn a_statement_without_parameters_is_planned_without_a_list() {
        use crate::postgres::spi::{Access, Arg, Planning, connect};
        // SAFETY: restored below; statements planned in between are planned as before.
        unsafe { pgrx::pg_sys::planner_hook = Some(note_parameters) };
        let rows = connect(|c| {
            let mut rows = 0;
            let mut count = |_: &crate::postgres::spi::Slot| {
                rows += 1;
                Ok(())
            };
            c.stream("SELECT 1", Access::Read, Planning::Custom, &[], &mut count)?;
            c.stream("SELECT $1", Access::Read, Planning::Custom, &[Arg::new(1)], &mut count)?;
            Ok(rows)
        });
        // SAFETY: as above.
        unsafe { pgrx::pg_sys::planner_hook = None };
        assert_eq!(rows.unwrap(), 2);
        assert_eq!(PLANNED.take(), [None, Some(1)]);
    }

    /// A base that follows a table of 400 rows with text and 10,000 without; a tenant sees half of the 400, as which it goes on.
    fn followed_base() -> crate::base::KnowledgeBase {
        for statement in [
            "CREATE ROLE glue_tenant; GRANT USAGE ON SCHEMA public TO glue_tenant",
            "CREATE TABLE note (id int PRIMARY KEY, tenant text, body text);
             INSERT INTO note SELECT n, CASE n % 2 WHEN 0 THEN 'glue_tenant' ELSE 'other' END, 'note ' || n FROM generate_series(1, 400) n;
             INSERT INTO note (id) SELECT generate_series(1001, 11000);
             ALTER TABLE note ENABLE ROW LEVEL SECURITY;
             CREATE POLICY own ON note USING (tenant = current_user);
             GRANT SELECT (id) ON note TO glue_tenant",
            "SELECT kb_create('followed', model => 'fake/test', dimensions => 8)",
            "SELECT kb_attach('note', 'followed', 'body', wait => true)",
            "INSERT INTO kb_followed.document (source_id, source_key, content)
             SELECT id, key, 'of no row' FROM kb_followed.source, unnest('{0,x,99999999999,NULL}'::text[]) key WHERE kind = 'table'",
            "SELECT kb_add('followed', 'of no table')",
            "SELECT kb_grant('followed', 'glue_tenant', 'read')",
            "ANALYZE note",
            "SET LOCAL ROLE glue_tenant",
        ] {
            Spi::run(statement).unwrap();
        }
        crate::base::by_name("followed", crate::postgres::spi::Access::Write).unwrap()
    }

    /// Seen by a new snapshot: the base is as old as the statement.
    fn visible(base: &crate::base::KnowledgeBase, chunks: &[pgrx::Uuid]) -> Option<Vec<pgrx::Uuid>> {
        crate::postgres::snapshot::with_latest(|| crate::base::visible_chunks(base, chunks)).unwrap()
    }

    /// As the policies of the base show them, also those of keys that are none of the table.
    #[pg_test]
    fn the_chunks_of_visible_rows_are_visible() {
        let base = followed_base();
        let all = "SELECT array_agg(id ORDER BY id) FROM kb_followed.chunk";
        let seen: Vec<pgrx::Uuid> = Spi::get_one(all).unwrap().unwrap();
        Spi::run("RESET ROLE").unwrap();
        let every: Vec<pgrx::Uuid> = Spi::get_one(all).unwrap().unwrap();
        assert_eq!((seen.len(), every.len()), (201, 405));
        assert!(visible(&base, &every).as_ref() == Some(&every), "the owner sees not all");
        Spi::run("SET LOCAL ROLE glue_tenant").unwrap();
        let found = visible(&base, &every);
        assert!(found.as_ref() == Some(&seen), "the tenant sees {:?}", found.map(|found| found.len()));
        // The index of the key, not the whole table.
        let scans = "SELECT ARRAY[seq_scan, idx_scan] FROM pg_stat_xact_user_tables WHERE relname = 'note'";
        let before: Vec<i64> = Spi::get_one(scans).unwrap().unwrap();
        visible(&base, &every[..80]);
        let after: Vec<i64> = Spi::get_one(scans).unwrap().unwrap();
        assert!(after[0] == before[0] && after[1] > before[1], "{before:?} {after:?}");
        // Policies of the owner: PostgreSQL alone knows.
        Spi::run("RESET ROLE; CREATE POLICY own ON kb_followed.chunk AS RESTRICTIVE USING (ordinal = 0); SET LOCAL ROLE glue_tenant").unwrap();
        assert_eq!(visible(&base, &every), None, "another policy");
        Spi::run("RESET ROLE; ALTER POLICY own ON kb_followed.chunk TO postgres; SET LOCAL ROLE glue_tenant")
            .unwrap();
        let found = visible(&base, &every);
        assert_eq!(found.map(|found| found.len()), Some(201), "another policy for others");
    }
}
