-- kb_explain: the search of kb_search, and why a chunk stands where it does.
SET client_min_messages = warning;
SELECT FROM kb_create('why', model => 'fake/e8', dimensions => 8);
SELECT count(kb_add('why', format('The pump number %s moves water. ', n), 'Pump ' || n, source_key => 'pump/' || n, metadata => jsonb_build_object('n', n))) FROM generate_series(1, 20) n;
SELECT kb_add('why', 'The red handle drains the tank.', 'Tank', source_key => 'tank', metadata => '{"n": 99}') AS tank \gset
SELECT kb_add('why', 'The red handle drains the tank.', 'Copy', source_key => 'copy') AS copy \gset
SELECT id AS chunk FROM kb_why.chunk WHERE document_id = :'tank' \gset

-- The rows are those of kb_search, whatever the arguments.
CREATE FUNCTION differs(query text, more text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
    EXECUTE format('WITH s AS (SELECT row_number() OVER () AS rank, chunk_id, score, similarity, keyword_rank, semantic_rank FROM kb_search(%1$L, %2$L %3$s)),
        e AS (SELECT (r->>''rank'')::bigint AS rank, (r->>''chunk_id'')::uuid AS chunk_id, (r->>''score'')::float8 AS score, (r->>''similarity'')::float8 AS similarity, (r->>''keyword_rank'')::int AS keyword_rank,
            (r->>''semantic_rank'')::int AS semantic_rank FROM jsonb_array_elements(kb_explain(%1$L, %2$L %3$s)->''results'') r)
        SELECT count(*) FROM ((TABLE s EXCEPT TABLE e) UNION ALL (TABLE e EXCEPT TABLE s)) d', query, 'why', more) INTO n;
    RETURN n;
END $$;
SELECT more, sum(differs(query, more)) FROM unnest(ARRAY['pump water', 'red handle', 'the', 'pump -number "moves water"', 'nothing of it', 'drains 7']) query,
    unnest(ARRAY['', ', mode => ''keyword''', ', mode => ''semantic'', match_count => 30', ', fusion => ''rrf'', match_count => 12', ', syntax => ''web''', ', filter => ''{"n": {"$lt": 5}}''', ', match_threshold => 0.2', ', duplicates => ''merge''', ', max_per_document => 1, match_offset => 2', ', keyword_weight => 0']) more
GROUP BY more ORDER BY more;

-- The question as it was read.
SELECT w->>'word' AS word, l->>'lexeme' AS lexeme, l->'chunks' AS chunks, round((l->>'weight')::numeric, 3) AS weight FROM jsonb_array_elements(kb_explain('which red handles move the water', 'why')#>'{question,keywords,words}') w, jsonb_array_elements(w->'lexemes') l;
SELECT d->>'word' AS word, d->>'reason' AS reason FROM jsonb_array_elements(kb_explain('which red handles move the water', 'why')#>'{question,keywords,dropped}') d;
SELECT kb_explain('red', 'why', mode => 'semantic')#>'{question,keywords}' AS no_keywords, kb_explain('red -handle', 'why', syntax => 'web')#>>'{question,embedded}' AS embedded;
SELECT e->'fusion'->>'mode' AS mode, e->'fusion'->>'fusion' AS fusion, e->'fusion'->'rrf_k' AS k, jsonb_path_query_array(e, '$.fusion.arms[*].arm') AS arms, e->'thresholds' AS thresholds, jsonb_path_query_array(e, '$.steps[*].step') AS steps
FROM kb_explain('red handle', 'why', fusion => 'rrf', rrf_k => 5, match_threshold => 0.1) e;
SELECT s->>'step' AS step, s->'depth' AS depth, s->'found' AS found, s->>'method' AS method, (s->>'milliseconds')::float8 >= 0 AS is_timed FROM jsonb_array_elements(kb_explain('red handle', 'why')->'steps') s WHERE s ? 'depth';

-- Why, in each case.
CREATE FUNCTION reason(query text, id uuid, more text DEFAULT '') RETURNS TABLE (rank text, reason text) LANGUAGE plpgsql AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT c->>''rank'', c->>''reason'' FROM kb_explain(%L, ''why'', %L %s) e, jsonb_array_elements(CASE jsonb_typeof(e->''chunk'') WHEN ''array'' THEN e->''chunk'' ELSE jsonb_build_array(e->''chunk'') END) c', query, id, more);
END $$;
SELECT * FROM reason('red handle', :'chunk', ', mode => ''keyword''');
SELECT * FROM reason('red handle', :'tank', ', mode => ''keyword''');
SELECT rank::int > 3 AS is_behind, reason LIKE 'result %, outside of match_offset and match_count' AS says_so FROM reason('pump water', :'tank', ', mode => ''semantic'', match_count => 1, match_threshold => -1') WHERE rank <> '1';
SELECT * FROM reason('pump', :'tank', ', mode => ''keyword''');
SELECT * FROM reason('red handle', :'tank', ', filter => ''{"n": 1}''');
SELECT * FROM reason('red handle', :'tank', ', source_type => ''webpage''');
SELECT * FROM reason('handle -red', :'tank', ', syntax => ''web''');
SELECT reason FROM reason('pump', :'tank', ', match_threshold => 0.999, mode => ''semantic''');
SELECT rank IS NULL AS left_out, reason FROM reason('red handle', :'copy', ', mode => ''keyword'', duplicates => ''merge''') UNION ALL SELECT rank IS NULL, reason FROM reason('red handle', :'tank', ', mode => ''keyword'', duplicates => ''merge''') ORDER BY 1;
SELECT * FROM reason('red handle', 'a0000000-0000-0000-0000-000000000001');
SET kb_rag.inline_chunks = 0;
SELECT kb_add('why', 'Words that wait.', 'Waits', source_key => 'waits') AS waits \gset
RESET kb_rag.inline_chunks;
SELECT * FROM reason('pump', :'waits', ', mode => ''semantic''');

-- Row security: neither frequencies nor reasons tell of what the caller does not see.
CREATE ROLE kb_regress_explainer;
SELECT kb_grant('why', 'kb_regress_explainer', 'read');
SET ROLE kb_regress_explainer;
SELECT rank, reason FROM reason('red handle', :'tank', ', mode => ''keyword''');
RESET ROLE;
ALTER TABLE kb_why.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY p ON kb_why.document USING (source_key LIKE 'pump/%');
SET ROLE kb_regress_explainer;
SELECT rank, reason FROM reason('red handle', :'tank', ', mode => ''keyword''');
SELECT rank, reason FROM reason('red handle', 'a0000000-0000-0000-0000-000000000001');
SELECT l->>'lexeme' AS lexeme, l->'chunks' AS chunks FROM jsonb_array_elements(kb_explain('red pump', 'why')#>'{question,keywords,words}') w, jsonb_array_elements(w->'lexemes') l;
SELECT sum(differs(query, '')) AS differs FROM unnest(ARRAY['pump water', 'red handle']) query;
RESET ROLE;
SELECT kb_revoke('why', 'kb_regress_explainer', 'read');
SET ROLE kb_regress_explainer;
SELECT state, message FROM error_of($$SELECT kb_explain('red', 'why')$$);
RESET ROLE;

-- Mistakes.
SELECT call, state, message FROM unnest(ARRAY[$$'', 'why'$$, $$'q', NULL$$, $$NULL, 'why'$$, $$'q', 'nowhere'$$, $$'q', 'why', mode => 'fast'$$, $$'q', 'why', match_count => 0$$]) call, error_of(format('SELECT kb_explain(%s)', call));
SELECT kb_drop('why');
DROP ROLE kb_regress_explainer;
