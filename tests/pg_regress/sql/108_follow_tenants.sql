-- Two tenants of one base that follows a partitioned table: nothing of the other's rows comes out, whatever is called.
SET client_min_messages = warning;
CREATE ROLE kb_test108_anna;
CREATE ROLE kb_test108_bert;
CREATE TABLE note (id int, region text, tenant name, headline text, body text, extra text, PRIMARY KEY (region, id)) PARTITION BY LIST (region);
CREATE TABLE note_a PARTITION OF note FOR VALUES IN ('a');
CREATE TABLE note_b PARTITION OF note FOR VALUES IN ('b') PARTITION BY RANGE (id);
CREATE TABLE note_b1 PARTITION OF note_b FOR VALUES FROM (0) TO (10);
CREATE TABLE note_b2 PARTITION OF note_b FOR VALUES FROM (10) TO (20);
-- Both have rows in each partition, and rows with the same number in several.
INSERT INTO note
SELECT n, r, 'kb_test108_' || t, t || 'title', format('The vault of %s opens with %1$ssecret. It has number %s.', t, n), t || 'meta'
FROM generate_series(1, 12) n CROSS JOIN unnest('{a,b}'::text[]) r
CROSS JOIN LATERAL (SELECT CASE (n + (r = 'a')::int) % 2 WHEN 0 THEN 'anna' ELSE 'bert' END) t (t);
ALTER TABLE note ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON note USING (tenant = current_user);
GRANT SELECT (id, region) ON note TO kb_test108_anna, kb_test108_bert;
SELECT kb_create('vaults') AS vaults \gset
SELECT kb_grant('vaults', r, 'write') FROM unnest('{kb_test108_anna,kb_test108_bert}'::text[]) r;
SELECT kb_attach('note', 'vaults', 'body', title => 'headline', metadata => '{extra,tenant}', wait => true) IS NOT NULL AS attached;
SELECT kb_expose('vaults', 'pgvector') IS NOT NULL AS exposed;
SELECT kb_attach_agent(kb_agent('agt'), 'vaults');
SELECT kb_add('vaults', 'The vault of nobody opens with a push.', title => 'commontitle') IS NOT NULL AS added;
SELECT knowledge_base, documents, failed FROM kb_rag.status;

-- The questions are the other's. {d} is one of the other's documents, {c} one of its chunks.
CREATE TABLE call (place int GENERATED ALWAYS AS IDENTITY, finds boolean, sql text);
INSERT INTO call (finds, sql) VALUES
    (true, $$SELECT s FROM kb_search('{q}', 'vaults', match_count => 100) s$$),
    (true, $$SELECT s FROM kb_search('{q}', match_count => 100) s$$),
    (true, $$SELECT s FROM kb_search('{q}', 'vaults', 'semantic', match_count => 100) s$$),
    (true, $$SELECT s FROM kb_search('{q}', 'vaults', 'keyword', match_count => 100) s$$),
    (false, $$SELECT s FROM kb_search('{o}secret', 'vaults', 'keyword', match_count => 100) s$$),
    (true, $$SELECT s FROM kb_search('vault opens', 'vaults', 'keyword', ranker => 'ts_rank', match_count => 100) s$$),
    (true, $$SELECT s FROM kb_search('"vault of" -push', 'vaults', 'keyword', syntax => 'web', match_count => 100) s$$),
    (false, $$SELECT s FROM kb_search('{q}', 'vaults', filter => '{"extra": "{o}meta"}', match_count => 100) s$$),
    (true, $$SELECT s FROM kb_search('{q}', agent_id => kb_agent('agt'), match_count => 100) s$$),
    (true, $$SELECT s FROM kb_hybrid_search('{q}', 'vaults', match_count => 100, fusion => 'relative', max_per_document => 1) s$$),
    (true, $$SELECT s FROM kb_search_documents('{q}', 'vaults', match_count => 100) s$$),
    (true, $$SELECT s FROM match_knowledge_chunks('{base}', kb_embed('{q}'), 100, -1) s$$),
    (true, $$SELECT kb_context('{q}', 'vaults', 100, -1)$$),
    (true, $$SELECT kb_context('{q}', match_count => 100, match_threshold => -1)$$),
    (false, $$SELECT kb_tools()$$),
    (true, $$SELECT kb_call_tool('search_knowledge', '{"query": "What opens the vault?", "limit": 20}')$$),
    (true, $$SELECT kb_call_tool('search_vaults', '{"query": "What opens the vault?"}', kb_agent('agt'))$$),
    (false, $$SELECT kb_call_tool('read_knowledge', '{"id": "{d}"}')$$),
    (true, $$SELECT kb_snippets('[{"role": "user", "content": "What opens the vault?"}]', 20)$$),
    (true, $$SELECT kb_snippets('[{"role": "user", "content": "What opens the vault?"}]', 20, 'agt')$$),
    (true, $$SELECT kb_retrieve('{"type": "pgvector", "hostname": "localhost", "port": 5432, "password": "${P}", "collection": "kb_vaults.collection", "embedding_model": "local/all-minilm-l6-v2", "embedding_dimensions": 384, "top_k": 20}', '[{"role": "user", "content": "What opens the vault?"}]')$$),
    (false, $$SELECT kb_read('{d}')$$), (false, $$SELECT kb_read('{d}', knowledge_base => 'vaults')$$), (false, $$SELECT kb_read('{d}', 'overview', 'vaults')$$),
    (false, $$SELECT kb_delete('{d}', 'vaults')$$), (false, $$SELECT kb_refresh('{d}', 'vaults')$$),
    (true, $$SELECT s FROM kb_browse('vaults', match_count => 100) s$$), (true, $$SELECT s FROM kb_browse(match_count => 100) s$$),
    (false, $$SELECT s FROM kb_stats('vaults') s$$), (false, $$SELECT s FROM kb_stats() s$$),
    (false, $$SELECT s FROM kb_estimate('vaults') s$$), (false, $$SELECT s FROM kb_list() s$$), (false, $$SELECT s FROM kb_source_list() s$$), (false, $$SELECT s FROM kb_agent_list() s$$),
    (false, $$SELECT s FROM kb_rag.status s$$), (false, $$SELECT s FROM kb_rag.source_status s$$), (false, $$SELECT s FROM kb_rag.failed s$$), (false, $$SELECT s FROM kb_rag.search_history s WHERE role = 'kb_test108_{o}'$$),
    (false, $$SELECT kb_warm_query('{q}', 'vaults')$$), (false, $$SELECT kb_rag.row_is_visible(source_id, source_key) FROM kb_vaults.document$$),
    (true, $$SELECT d FROM kb_vaults.document d$$), (true, $$SELECT c FROM kb_vaults.chunk c$$), (true, $$SELECT c FROM kb_vaults.collection c$$), (false, $$SELECT s FROM kb_vaults.source s$$),
    (false, $$SELECT d FROM kb_vaults.document d WHERE id = '{d}'$$), (false, $$SELECT c FROM kb_vaults.chunk c WHERE id = '{c}' OR content LIKE '%{o}secret%'$$), (false, $$SELECT e FROM kb_vaults.embedding e WHERE chunk_id = '{c}'$$),
    (true, $$SELECT c FROM kb_vaults.embedding e JOIN kb_vaults.chunk c ON c.id = e.chunk_id ORDER BY e.embedding OPERATOR(public.<=>) kb_embed('{q}') LIMIT 100$$),
    (false, $$SELECT s FROM kb_vaults.keyword_segment s$$), (false, $$SELECT s FROM kb_rag.search_log s$$),
    (false, $$UPDATE kb_vaults.document SET content = 'taken' WHERE id = '{d}' RETURNING content$$), (false, $$DELETE FROM kb_vaults.document WHERE metadata->>'extra' = '{o}meta' RETURNING content$$);
GRANT SELECT ON call TO PUBLIC;

-- What a call gives, or its error with detail and hint; the notices of it are seen in the output.
CREATE FUNCTION answer(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    given text;
    detail text;
    hint text;
BEGIN
    IF sql ~ '^(UPDATE|DELETE)' THEN
        EXECUTE format('WITH s AS (%s) SELECT string_agg(to_jsonb(s)::text, E''\n'') FROM s', sql) INTO given;
    ELSE
        EXECUTE format('SELECT string_agg(to_jsonb(s)::text, E''\n'') FROM (%s) s', sql) INTO given;
    END IF;
    RETURN coalesce(given, '');
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
    RETURN concat_ws(' ', 'ERROR', sqlstate, sqlerrm, detail, hint);
END
$$;
-- Calls that show something of the other tenant, or nothing of the own where they find.
CREATE FUNCTION wrong(own text, other text, base text, document uuid, chunk uuid) RETURNS TABLE (sql text, answer text) LANGUAGE plpgsql AS $$
DECLARE
    c record;
BEGIN
    FOR c IN SELECT * FROM call ORDER BY place LOOP
        sql := c.sql;
        sql := replace(replace(replace(sql, '{q}', format('The vault of %s opens with %1$ssecret', other)), '{o}', other), '{base}', base);
        sql := replace(replace(sql, '{d}', document::text), '{c}', chunk::text);
        answer := answer(sql);
        IF answer ~ (other || '(title|meta|secret\.| opens with)') OR answer LIKE '%taken%' OR (answer ~ (own || 'secret')) IS DISTINCT FROM c.finds THEN
            RETURN NEXT;
        END IF;
    END LOOP;
END
$$;
SET kb_rag.log_searches = on;
-- An error of a row may quote it.
UPDATE kb_vaults.source SET status = 'failed', error_message = 'could not read annasecret. and bertsecret.';
SELECT d.id AS of_anna FROM kb_vaults.document d WHERE d.metadata->>'extra' = 'annameta' ORDER BY d.source_key LIMIT 1 \gset
SELECT d.id AS of_bert FROM kb_vaults.document d WHERE d.metadata->>'extra' = 'bertmeta' ORDER BY d.source_key LIMIT 1 \gset
SELECT id AS chunk_of_anna FROM kb_vaults.chunk WHERE document_id = :'of_anna' \gset
SELECT id AS chunk_of_bert FROM kb_vaults.chunk WHERE document_id = :'of_bert' \gset
-- The owner finds all, so that the words are those that would come out.
SELECT count(*) FILTER (WHERE content LIKE '%annasecret%') AS anna, count(*) FILTER (WHERE content LIKE '%bertsecret%') AS bert FROM kb_search('vault', 'vaults', match_count => 100);
SET ROLE kb_test108_anna;
SELECT * FROM wrong('anna', 'bert', :'vaults', :'of_bert', :'chunk_of_bert');
SELECT count(*) FROM kb_vaults.document;
SELECT documents, indexed, chunks, table_bytes, index_bytes, unmerged_segments FROM kb_rag.status;
SELECT location, status, error_message, documents, rows_read, rows_before FROM kb_rag.source_status;
RESET ROLE;
SET ROLE kb_test108_bert;
SELECT * FROM wrong('bert', 'anna', :'vaults', :'of_anna', :'chunk_of_anna');
SELECT count(*) FROM kb_vaults.document;
-- Its own documents can be read, changed and deleted.
SELECT (kb_read(:'of_bert', knowledge_base => 'vaults'))::text LIKE '%bertsecret%' AS read, kb_refresh(:'of_bert', 'vaults') AS refreshed;
RESET ROLE;
-- What the log keeps of one tenant, the other does not see; nor does it see its own rows of documents that are hidden by now.
UPDATE note SET tenant = 'kb_test108_anna' WHERE tenant = 'kb_test108_bert';
SET ROLE kb_test108_bert;
SELECT count(*) FROM kb_rag.search_history WHERE results::text ~ 'secret';
SELECT string_agg(content, ', ') FROM kb_search('vault secret', 'vaults', match_count => 100);
RESET ROLE;
SELECT count(*) > 0 AS logged FROM kb_rag.search_log;
SELECT kb_drop('vaults');
DROP FUNCTION wrong, answer;
DROP TABLE call, note;
DROP OWNED BY kb_test108_anna, kb_test108_bert;
DROP ROLE kb_test108_anna, kb_test108_bert;
