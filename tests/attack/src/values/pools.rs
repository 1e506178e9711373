//! The pools of values.

/// Texts.
pub const TEXTS: &[&str] = &[
    "''",
    "'a'",
    "' '",
    "E'\\n'",
    "E'\\t\\u00a0\\u200b'",
    "repeat('x', 64)",
    "repeat('x', 201)",
    "repeat('x', 5000)",
    "repeat('x', 1000000)",
    "repeat('word. ', 150000)",
    "repeat(U&'\\65e5', 300000)",
    "repeat(E'\\n', 500000)",
    "repeat(E'e\\u0301', 100000)",
    "repeat('a b ', 20000)",
    "'it''s'",
    "'\"'",
    "E'\\\\'",
    "E'a''b\"c\\\\d\\ne'",
    "'%s{schema}{0}$1'",
    "U&'\\202eabc\\202c'",
    "repeat(E'e\\u0301', 50)",
    "repeat(U&'\\+01F468\\200d\\+01F469\\200d\\+01F467', 30)",
    "repeat(U&'\\65e5\\672c\\8a9e\\3002', 20)",
    "repeat(U&'\\0e01', 300)",
    "'null'",
    "'public'",
    "'kb_rag'",
    "'pg_catalog'",
    "'../../etc/passwd'",
    "'-1'",
    "'0'",
    "'1e999'",
    "U&'\\fffe\\ffff'",
    "E'\\x01\\x02'",
    "'<!>&|:*'",
    "'a & b | ! c'",
    "'\"\"\"'",
    "'''a'' <-> ''b'''",
    "'-----'",
    "'\"un closed'",
    "'- - -'",
    "'or or or'",
    "'\"the\" -\"of\"'",
    "'-a'",
    "repeat(U&'\\1100\\1161\\11a8', 100)",
    "U&'\\+0E0001'",
    "repeat(U&'a\\0300\\0301\\0302', 2000)",
    "'####### x'",
    "repeat(E'```\\n', 500)",
    "repeat(E'| a | b |\\n|---|---|\\n', 200)",
    "repeat('> ', 1000)",
    "repeat('- ', 3000)",
    "repeat(E'def f():\\n    pass\\n', 50)",
    "E'\\r\\n\\r'",
    "E'a\\rb\\r\\nc\\n'",
    "(SELECT string_agg('word' || i, ' ') FROM generate_series(1, 8000) i)",
    "'{\"a\": \"x\\u0000y\"}'",
    "'[\"x\\u0000y\"]'",
    "'{\"a\":'",
    "'[]'",
    "'[{\"a\": null}]'",
    "repeat('[', 3000)",
    "repeat('[', 200) || repeat(']', 200)",
    "'{NULL}'",
    "'{1,2'",
    "'2147483648'",
    "'99999999999999999999'",
    "'NaN'",
    "'nosuch.cfg'",
    "'a.b.c.d'",
    "'table'",
    "'cats and dogs'",
    "'the mat'",
];

/// Texts that have a meaning for an argument of that name.
pub const WORDS: &[(&str, &[&str])] = &[
    ("mode", &["hybrid", "semantic", "keyword"]),
    ("fusion", &["rrf", "relative"]),
    ("ranker", &["bm25", "ts_rank", "ts_rank_cd"]),
    ("unit", &["char", "token"]),
    ("strategy", &["text", "markdown", "code", "semantic", "none", "auto"]),
    ("embed", &["inline", "queued", "auto", "off"]),
    ("index_method", &["auto", "hnsw", "none", "ivfflat"]),
    ("input_type", &["query", "document"]),
    (
        "model",
        &[
            "fake/x",
            "fake/y",
            "local/all-minilm-l6-v2",
            "fake/",
            "/",
            "a/b/c",
            "gone/x",
            "scratch/x",
            "openai/x",
        ],
    ),
    ("privilege", &["read", "write", "admin"]),
    ("role", &["public", "attack_writer", "attack_nobody", "attack \"odd\" role"]),
    ("kind", &["openai", "ollama", "google", "tei", "cohere", "voyage", "mistral"]),
    (
        "url",
        &[
            "http://127.0.0.1:1/",
            "http://[::1]:9/",
            "http://x.invalid:0",
            "https://a@b/",
            "http://127.1/",
            "ftp://x",
        ],
    ),
    ("api_key", &["env:HOME", "file:/etc/passwd", "secret:x", "sk-abc", ""]),
    (
        "mapping",
        &[
            "{\"content\": \"body\", \"embedding\": \"vec\"}",
            "{\"content\": \"body\", \"embedding\": \"vec\", \"document\": \"page\"}",
        ],
    ),
    ("origin", &["https://example.invalid", "http://127.0.0.1:1"]),
    ("language", &["en", "de", "zh", "de-AT", "klingon", "english"]),
    ("mime", &["text/markdown", "text/x-python", "application/json", "text/plain"]),
    ("source_type", &["document", "code", "table", "webpage"]),
    ("metadata_status", &["pending", "indexed", "failed"]),
    ("status", &["pending", "processing", "indexed", "failed"]),
    ("provider", &["scratch", "openai", "gone", "local", "fake"]),
    ("schema", &["kb_inline", "kb_by_hand", "kb_half_made", "kb_copied", "public", "kb_gone"]),
    ("text_config", &["simple", "pg_catalog.english", "german", "no.such", "a.b.c.d", ""]),
    ("otherwise", &["simple", "pg_catalog.english", "no.such"]),
];

/// Values of jsonb.
pub const JSON: &[&str] = &[
    "'{}'",
    "'[]'",
    "'null'",
    "'1'",
    "'\"x\"'",
    "'{\"a\": {\"b\": [1, 2, null]}}'",
    "'{\"title\": null, \"key\": [1], \"chunkIndex\": \"x\", \"language\": 5}'",
    "(repeat('[', 200) || repeat(']', 200))",
    "(repeat('[', 3000) || repeat(']', 3000))",
    "(repeat('{\"a\":', 2000) || '1' || repeat('}', 2000))",
    "jsonb_build_object(repeat('k', 100000), repeat('v', 100000))",
    "'{\"\": \"\"}'",
    "'{\"a\": 1e400}'",
    "'{\"a\": \"\\u0041\"}'",
    "(SELECT jsonb_object_agg('k' || i, i) FROM generate_series(1, 20000) i)",
    "'{\"X-A\": \"b\\r\\nX: y\"}'",
    "'{\"content\": \"body\", \"embedding\": \"vec\", \"document\": \"page\", \"ordinal\": \"n\", \"metadata\": \"m\"}'",
    "'{\"content\": \"content\", \"embedding\": \"embedding\"}'",
    "'{\"content\": \"\", \"embedding\": null}'",
    "'{\"authorization\": \"Bearer x\"}'",
    "'{\"n\": 5}'",
];

/// Whole numbers of all sizes.
pub const INTEGERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "2",
    "5",
    "8",
    "255",
    "256",
    "384",
    "1000",
    "2000",
    "2001",
    "16000",
    "16001",
    "10001",
    "1000001",
    "32767",
    "-32768",
    "2147483647",
    "-2147483648",
    "9223372036854775807",
    "-9223372036854775808",
];

/// Numbers with a fraction.
pub const FLOATS: &[&str] = &[
    "0",
    "-0",
    "1",
    "-1",
    "NaN",
    "Infinity",
    "-Infinity",
    "1e308",
    "1e-308",
    "4.9e-324",
    "0.5",
    "2",
    "10.0001",
    "3.4e38",
    "1e39",
];

/// Intervals.
pub const INTERVALS: &[&str] = &[
    "1 second",
    "0",
    "-1 day",
    "infinity",
    "-infinity",
    "1000 years",
    "-1000 years",
    "178000000 years",
    "1 microsecond",
    "59 minutes",
    "1 mon",
];

/// Points in time.
pub const TIMES: &[&str] = &["infinity", "-infinity", "epoch", "now", "4713-01-01 BC", "294276-12-31"];

/// Identifiers, some of them of rows.
pub const UUIDS: &[&str] = &[
    "'00000000-0000-0000-0000-000000000000'",
    "'ffffffff-ffff-ffff-ffff-ffffffffffff'",
    "gen_random_uuid()",
    "'a0000000-0000-0000-0000-00000000000a'",
    "(SELECT id FROM kb_rag.knowledge_base ORDER BY random() LIMIT 1)",
    "(SELECT id FROM kb_inline.document ORDER BY random() LIMIT 1)",
    "(SELECT id FROM kb_inline.chunk ORDER BY random() LIMIT 1)",
];

/// Tables, and OIDs that are not tables.
pub const TABLES: &[&str] = &[
    "0",
    "1",
    "4294967295",
    // More often than the others, because kb_attach and kb_import succeed with these.
    "'public.plain'",
    "'public.plain'",
    "'public.plain'",
    "'public.plain'",
    "'public.import_vectors'",
    "'public.import_vectors'",
    "'public.partitioned'",
    "'public.part_one'",
    "'public.parent'",
    "'public.child'",
    "'public.a_view'",
    "'public.a_matview'",
    "'public.unlogged'",
    "'public.\"we\"\"ird Tab\\le\"'",
    "'pg_class'",
    "'kb_rag.job'",
    "'kb_inline.document'",
    "'kb_inline.chunk'",
    "'kb_inline.setting'",
    "'public.no_key'",
    "'public.domains'",
    "'public.generated'",
    "'public.two_keys'",
    "'public.an_index'",
    "'public.a_sequence'",
    "'public.composite'",
    "'public.import_vectors'",
    "'public.import_arrays'",
    "'public.import_bare'",
];

/// Text search configurations, and OIDs that are not configurations.
pub const CONFIGURATIONS: &[&str] =
    &["'simple'", "'german'", "'pg_catalog.english'", "0", "1", "3748", "4294967295"];

/// Names of columns.
pub const NAMES: &[&str] = &[
    "'body'",
    "'body'",
    "'body'",
    "'body'",
    "'id'",
    "'vec'",
    "'m'",
    "'nosuch'",
    "''",
    "'g'",
    "'arr'",
    "'ctid'",
    "'xmin'",
    "'tableoid'",
    "'\"'",
    "'d'",
    "'c'",
    "'j'",
    "'dropped'",
    "'........pg.dropped.2........'",
    "repeat('x', 80)",
];

/// Vectors, as arrays.
pub const VECTORS: &[&str] = &[
    "array_fill(0::float4, ARRAY[384])",
    "array_fill(1::float4, ARRAY[384])",
    "array_fill(3e38::float4, ARRAY[384])",
    "array_fill(1e-45::float4, ARRAY[384])",
    "ARRAY[1, 2, 3]",
    "ARRAY[0, 0, 0]",
    "array_fill(1::float4, ARRAY[8])",
    "array_fill(-1::float4, ARRAY[8])",
    "array_fill(0::float4, ARRAY[8])",
    "array_fill(1e20::float4, ARRAY[8])",
    "array_fill(3e38::float4, ARRAY[8])",
    "array_fill(1e-45::float4, ARRAY[8])",
    "array_fill(1::float4, ARRAY[16000])",
];

/// Values of tsvector.
pub const TSVECTORS: &[&str] = &[
    "''",
    "'a:1A b:2B,3,4'",
    "'cat:1A,2A,16383A'",
    "to_tsvector('english', repeat('the cat sat ', 3000))",
    "strip(to_tsvector('simple', 'a b c'))",
    "(SELECT string_agg('w' || i || ':' || (i % 16383 + 1), ' ') FROM generate_series(1, 20000) i)",
    "(SELECT string_agg('cat:' || i || 'A', ' ') FROM generate_series(1, 255) i)",
];

/// Arrays of text.
pub const TEXT_ARRAYS: &[&str] = &[
    "'{}'",
    "ARRAY[NULL]",
    "ARRAY['a', NULL, 'b']",
    "ARRAY[['a', 'b'], ['c', 'd']]",
    "(SELECT array_agg(i::text) FROM generate_series(1, 300) i)",
    "ARRAY[repeat('x', 1000000)]",
    "ARRAY['']",
    "'[0:1]={a,b}'",
    "'{bad,bad}'",
    "ARRAY['a', '', '  ']",
    "array_fill(NULL::text, ARRAY[1000])",
    "'[3:4]={content,key}'",
    "'{content,key}'",
];

/// Arrays of identifiers.
pub const UUID_ARRAYS: &[&str] = &[
    "'{}'",
    "'{NULL}'",
    "ARRAY[gen_random_uuid(), NULL]",
    "'{{00000000-0000-0000-0000-000000000000}}'",
    "(SELECT array_agg(id) FROM kb_inline.document)",
];

/// Arrays of names.
pub const NAME_ARRAYS: &[&str] = &[
    "'{}'",
    "'{body}'",
    "ARRAY[NULL]",
    "'{id,id,m}'",
    "'{{id,m},{g,body}}'",
    "'{nosuch}'",
    "'[5:6]={id,body}'",
    "(SELECT array_agg('id') FROM generate_series(1, 2000))",
];

/// Arrays of numbers.
pub const NUMBER_ARRAYS: &[&str] =
    &["'{}'", "'{NULL}'", "'{-1,0,999}'", "'{{1,2},{3,4}}'", "'[3:4]={1,2}'", "'{1,2,3,4,5,6,7,8}'"];

/// Values of bytea.
pub const BYTES: &[&str] = &["''", "'\\x00'", "decode(repeat('ff', 100000), 'hex')", "sha256('x')"];

/// Types for arguments that accept any type, with values of each.
pub const ANY: &[(&str, &[&str])] = &[
    ("pg_catalog.text", &["''", "repeat('x', 100000)"]),
    ("pg_catalog.int4", &["1"]),
    ("pg_catalog.jsonb", &["'{}'"]),
    ("pg_catalog.numeric", &["'NaN'", "1"]),
    ("pg_catalog._text", &["'{a,NULL}'"]),
    ("pg_catalog.inet", &["'1.2.3.4'"]),
    ("pg_catalog.point", &["'(1,2)'"]),
    ("pg_catalog.name", &["'a'"]),
    ("pg_catalog.bool", &["true"]),
    ("public.a_domain", &["'x'"]),
    ("public.a_composite", &["ROW(1, 'a')"]),
    ("public.plain", &["NULL"]),
];
