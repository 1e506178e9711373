-- Completeness under filters: 20 tenants in one base, distinguished by metadata, with more vectors than
-- hnsw.max_scan_tuples. All limits are a twentieth of those of users.
-- Every filtered query returns min(count, existing), whichever plan is used.
SET client_min_messages = warning;
SET kb_rag.test_limits = 'exact_rows=250, depth=4, min_ef_search=8, max_scan_tuples=1000';
SET hnsw.max_scan_tuples = 1000;
SELECT kb_create('tenants', model => 'fake/test', dimensions => 8, chunk_strategy => 'none') IS NOT NULL AS created;
-- Tenant 0 has every second row, tenant 19 a dozen. The vectors of a tenant are close together, and far from the others'.
INSERT INTO kb_tenants.document (content, metadata)
SELECT format('tenant%s ticket number %s about %s', t, n, (ARRAY['billing', 'login', 'crash', 'export'])[1 + n % 4]),
    jsonb_build_object('tenant', t, 'even', n % 2 = 0)
FROM (SELECT n, CASE WHEN n % 2 = 0 THEN 0 WHEN n % 90 = 1 THEN 19 ELSE 1 + (n / 2) % 18 END AS t FROM generate_series(1, 1100) n) s;
ANALYZE kb_tenants.chunk, kb_tenants.embedding;
SELECT count(*) > current_setting('hnsw.max_scan_tuples')::int AS larger_than_a_scan FROM kb_tenants.embedding;

CREATE TEMP TABLE tenant AS
SELECT (metadata->>'tenant')::int AS tenant, count(*) AS existing, count(*) FILTER (WHERE metadata->'even' = 'true') AS even
FROM kb_tenants.chunk GROUP BY 1;
SELECT count(*) AS tenants, min(existing) AS smallest, max(existing) AS largest FROM tenant;

-- Each tenant, near and far queries, small and large counts, all modes.
SELECT mode, n, count(*) AS queries, count(*) FILTER (WHERE found <> least(n, existing)) AS incomplete, sum(foreign_rows) AS foreign_rows
FROM tenant
CROSS JOIN (VALUES (1), (3), (35)) c (n)
CROSS JOIN (VALUES ('hybrid'), ('semantic')) m (mode)
CROSS JOIN (VALUES ('tenant0 ticket about billing'), ('unrelated words')) q (query)
CROSS JOIN LATERAL (
    SELECT count(*) AS found, count(*) FILTER (WHERE metadata->>'tenant' <> tenant::text) AS foreign_rows
    FROM kb_search(query, 'tenants', mode, n, jsonb_build_object('tenant', tenant))
) s
GROUP BY mode, n ORDER BY mode, n;

-- By keyword: min(count, matching).
SELECT count(*) AS queries, count(*) FILTER (WHERE found <> least(10, existing)) AS incomplete
FROM tenant CROSS JOIN LATERAL (
    SELECT count(*) AS found FROM kb_search('ticket', 'tenants', 'keyword', 10, jsonb_build_object('tenant', tenant))
) s;

-- Two conditions, and an unfiltered query deeper than ef_search.
SELECT count(*) AS queries, count(*) FILTER (WHERE found <> least(5, even)) AS incomplete
FROM tenant CROSS JOIN LATERAL (
    SELECT count(*) AS found FROM kb_search('crash', 'tenants', 'semantic', 5, jsonb_build_object('tenant', tenant, 'even', true))
) s;
SELECT n, (SELECT count(*) FROM kb_search('crash', 'tenants', 'semantic', n)) AS found FROM (VALUES (1), (3), (50), (500)) t (n);
SELECT count(*) FROM match_knowledge_chunks((SELECT id FROM kb_list() WHERE name = 'tenants'), kb_embed('crash', 'fake/test', 8), 100, -1);

-- Agents that see one tenant each.
SELECT count(kb_attach_agent(kb_agent('tenant ' || tenant), 'tenants', jsonb_build_object('tenant', tenant))) AS agents FROM tenant;
SELECT n, count(*) AS queries, count(*) FILTER (WHERE found <> least(n, existing) OR matched <> found) AS incomplete, sum(foreign_rows) AS foreign_rows
FROM tenant
CROSS JOIN (VALUES (1), (3), (35)) c (n)
CROSS JOIN (VALUES ('tenant0 ticket about billing'), ('unrelated words')) q (query)
CROSS JOIN LATERAL (
    SELECT count(*) AS found, count(*) FILTER (WHERE metadata->>'tenant' <> tenant::text) AS foreign_rows
    FROM kb_search(query, mode => 'semantic', match_count => n, agent_id => kb_agent('tenant ' || tenant))
) s
CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE metadata->>'tenant' = tenant::text) AS matched
    FROM match_knowledge_chunks(kb_agent('tenant ' || tenant), kb_embed(query, 'fake/test', 8), n, -1)
) m
GROUP BY n ORDER BY n;

-- Small results come from the index: fewer blocks than a scan of all vectors. The nearest are the exact nearest.
SET kb_rag.test_limits = 'exact_rows=250, depth=4, max_scan_tuples=1000';
SELECT bool_and(found.content = nearest.content OR found.similarity = nearest.similarity) AS exact
FROM (SELECT content, similarity, row_number() OVER () AS place FROM kb_search('tenant7 login', 'tenants', 'semantic', 10)) found
JOIN (
    SELECT content, 1 - (embedding <=> kb_embed('tenant7 login', 'fake/test', 8)) AS similarity,
        row_number() OVER (ORDER BY embedding <=> kb_embed('tenant7 login', 'fake/test', 8), id) AS place
    FROM kb_tenants.chunk JOIN kb_tenants.embedding ON chunk_id = id
) nearest USING (place);
BEGIN;
SELECT pg_stat_get_xact_numscans('kb_tenants.embedding_hnsw'::regclass) AS before \gset
SELECT count(*) FROM kb_search('tenant7 login', 'tenants', 'semantic', 10);
SELECT pg_stat_get_xact_numscans('kb_tenants.embedding_hnsw'::regclass) > :before AS index_used;
COMMIT;

-- After most rows are deleted, the index is full of dead entries: results are still complete.
DELETE FROM kb_tenants.document WHERE metadata->'tenant' = '0';
SELECT count(*) AS queries, count(*) FILTER (WHERE found <> least(15, existing)) AS incomplete
FROM tenant CROSS JOIN LATERAL (
    SELECT count(*) AS found FROM kb_search('tenant0 ticket', 'tenants', 'semantic', 15, jsonb_build_object('tenant', tenant))
) s
WHERE tenant <> 0;
-- Without a filter, too: the nearest entries of the index are all dead.
SELECT n, found, nearest = 0 AS none_deleted FROM (VALUES (1), (3), (15)) c (n) CROSS JOIN LATERAL (
    SELECT count(*) AS found, count(*) FILTER (WHERE metadata->>'tenant' = '0') AS nearest
    FROM kb_search('tenant0 ticket number 2 about billing', 'tenants', 'semantic', n)
) s;
SELECT kb_drop('tenants');
