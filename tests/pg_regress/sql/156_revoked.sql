-- A base does not need kb_embed, kb_embed_batch and kb_chunk: with these revoked from PUBLIC, everything works. The roles
-- have no privilege on them, unlike superusers.
SET client_min_messages = warning;
CREATE ROLE kb_test156_owner;
CREATE ROLE kb_test156_reader;
CREATE ROLE kb_test156_writer;
SELECT kb_grant_admin('kb_test156_owner');
REVOKE EXECUTE ON FUNCTION kb_embed, kb_embed_batch, kb_chunk FROM PUBLIC;
CREATE SCHEMA kb_test156_app AUTHORIZATION kb_test156_owner;
SET ROLE kb_test156_owner;
SELECT state, message FROM unnest(ARRAY['kb_embed(''x'')', 'kb_embed_batch(''{x}'')', 'kb_chunk(''x'')']) f, error_of('SELECT ' || f);
SELECT kb_create('revoked', chunk_size => 100, chunk_overlap => 10) IS NOT NULL AS created;
SELECT kb_create('revoked remote', model => 'fake/test', dimensions => 8, chunk_strategy => 'semantic', embed => 'queued') IS NOT NULL AS created;
SELECT kb_grant(b, 'kb_test156_reader', 'read'), kb_grant(b, 'kb_test156_writer', 'write') FROM unnest(ARRAY['revoked', 'revoked remote']) b;
CREATE TABLE kb_test156_app.article (id int PRIMARY KEY, body text);
INSERT INTO kb_test156_app.article VALUES (1, 'The heron waits in the shallow water. It eats fish and frogs.');
SELECT kb_attach('kb_test156_app.article', 'revoked', 'body', wait => true) IS NOT NULL AS attached;
INSERT INTO kb_test156_app.article VALUES (2, 'The bakery opens at six. Bread is baked all night.');
GRANT USAGE ON SCHEMA kb_test156_app TO kb_test156_writer;
GRANT SELECT, UPDATE ON kb_test156_app.article TO kb_test156_writer;

SET ROLE kb_test156_writer;
SELECT kb_add(b, 'Parcels arrive within three days. The post office is closed on Sundays.', source_key => 'post') IS NOT NULL AS added
FROM unnest(ARRAY['revoked', 'revoked remote']) b;
INSERT INTO kb_revoked.document (content) VALUES (repeat('A long text about the tides of the sea. ', 20));
UPDATE kb_revoked.document SET title = 'Post' WHERE source_key = 'post';
UPDATE kb_test156_app.article SET body = body || ' Cakes too.' WHERE id = 2;

SET ROLE kb_test156_reader;
SELECT content FROM kb_hybrid_search('when does the parcel come?', 'revoked', 1);
SELECT content FROM kb_search('bird', 'revoked', 'semantic', 1);
SELECT content FROM kb_search('cakes', 'revoked', 'keyword', 1);
SELECT count(*) FROM match_knowledge_chunks((SELECT id FROM kb_list() WHERE name = 'revoked'), (SELECT embedding FROM kb_revoked.embedding LIMIT 1), 3, -1.1);
SELECT chunks > 0 AS estimated FROM kb_estimate('revoked', 'fake/other');
SELECT state FROM error_of($$SELECT kb_warm_query('bird', 'revoked')$$);

SET ROLE kb_test156_owner;
CALL kb_work(10);
SELECT knowledge_base, documents, pending, failed, chunks = embedded AS complete FROM kb_rag.status WHERE knowledge_base LIKE 'revoked%' ORDER BY 1;
SELECT kb_reconcile('revoked'), kb_reconcile('revoked remote');
SELECT kb_reindex('revoked');
SELECT kb_configure('revoked', chunk_size => 200, chunk_strategy => 'semantic');
SELECT kb_configure('revoked remote', model => 'fake/other');
CALL kb_work(10);
SELECT model, chunks = embedded AS complete FROM kb_rag.status WHERE knowledge_base = 'revoked remote';
SELECT count(*) > 0 AS failed FROM kb_rag.failed;
SELECT location, status FROM kb_rag.source_status;
SELECT kb_drop('revoked'), kb_drop('revoked remote');
RESET ROLE;
GRANT EXECUTE ON FUNCTION kb_embed, kb_embed_batch, kb_chunk TO PUBLIC;
DROP SCHEMA kb_test156_app CASCADE;
SELECT kb_revoke_admin('kb_test156_owner');
DROP ROLE kb_test156_owner, kb_test156_reader, kb_test156_writer;
