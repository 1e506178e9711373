-- Statements that name no base skip bases outside of the caller's circle: those that are readable through PUBLIC, or as a
-- superuser, and whose owner is neither a superuser nor a role of which the caller is a member.
SET client_min_messages = warning;
CREATE ROLE kb_test165_owner;
CREATE ROLE kb_test165_friend;
CREATE ROLE kb_test165_passer;
SELECT kb_grant_admin('kb_test165_owner');
SELECT kb_create('ours', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_add('ours', 'A kiwi of ours.') IS NOT NULL AS added;
SELECT kb_grant('ours', 'public', 'read');
SET ROLE kb_test165_owner;
SELECT count(kb_create('theirs ' || n, model => 'fake/test', dimensions => 8)) FROM generate_series(1, 5) n;
SELECT count(kb_add('theirs ' || n, 'A kiwi of theirs, number ' || n || '.')) FROM generate_series(1, 5) n;
SELECT kb_grant('theirs ' || n, 'public', 'read') FROM generate_series(1, 4) n;
SELECT kb_grant('theirs 1', 'kb_test165_friend', 'read');
-- Other privileges, even by name, do not add a base.
GRANT INSERT, UPDATE ON kb_theirs_3.document TO kb_test165_friend;
GRANT CREATE ON SCHEMA kb_theirs_4 TO kb_test165_friend;
RESET ROLE;
CREATE TABLE attached (id int PRIMARY KEY, body text);
ALTER TABLE attached OWNER TO kb_test165_owner;
SET ROLE kb_test165_owner;
SELECT kb_attach('attached', 'theirs 2', 'body') IS NOT NULL AS attached;
RESET ROLE;
INSERT INTO kb_rag.job (knowledge_base_id, kind, target, attempts, failed, error)
SELECT k.id, 'embed', d.id, 8, true, 'made up' FROM kb_list() k, kb_theirs_3.document d WHERE k.name = 'theirs 3';
RESET client_min_messages;

-- The superuser has its own circle; the friend has one more base, which was granted by name.
SELECT knowledge_base, content FROM kb_search('kiwi', mode => 'keyword') ORDER BY 1;
SELECT knowledge_base, note FROM kb_rag.status;
SELECT * FROM kb_rag.failed;
SELECT * FROM kb_rag.source_status;
SET ROLE kb_test165_friend;
SELECT knowledge_base, content FROM kb_search('kiwi', mode => 'keyword') ORDER BY 1;
SELECT knowledge_base, documents, note FROM kb_rag.status WHERE note IS NULL;
SELECT count(*) FROM kb_search('kiwi', match_count => 1);
RESET ROLE;
SET ROLE kb_test165_passer;
SELECT knowledge_base, content FROM kb_search('kiwi', mode => 'keyword') ORDER BY 1;
-- A base that is named is searched, and all bases are listed.
SELECT content FROM kb_search('kiwi', 'theirs 1', 'keyword');
SELECT string_agg(name, ', ' ORDER BY name) FROM kb_list();
RESET ROLE;
-- A base that an administrator attached to an agent is searched by that agent.
SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000001', 'theirs 1');
SELECT content FROM kb_search('kiwi', mode => 'keyword', agent_id => 'a0000000-0000-0000-0000-000000000001');
-- The owner sees all, and so does a session that becomes the owner.
SET ROLE kb_test165_owner;
SELECT count(*) FROM kb_search('kiwi', mode => 'keyword', match_count => 10);
SELECT knowledge_base, documents, note, counted_at IS NOT NULL AS counted FROM kb_rag.status;
SELECT knowledge_base, reason FROM kb_rag.failed;
SELECT knowledge_base, location, status FROM kb_rag.source_status;
RESET ROLE;
-- So does a member.
GRANT kb_test165_owner TO kb_test165_passer;
SET ROLE kb_test165_passer;
SELECT count(*) FROM kb_search('kiwi', mode => 'keyword', match_count => 10);
SELECT count(*) FROM kb_rag.status WHERE note IS NULL;
RESET ROLE;
-- Stored statistics are shown, whatever numbers a superuser has written.
BEGIN;
INSERT INTO kb_rag.base_statistics AS s (knowledge_base_id, documents, pending, indexed, failed, chunks, embedded, activity, seconds, counted_at)
SELECT id, 1, 0, 1, 0, 5, -9223372036854775808, '', 0, now() FROM kb_list() WHERE name = 'theirs 4'
ON CONFLICT (knowledge_base_id) DO UPDATE SET chunks = excluded.chunks, embedded = excluded.embedded;
SELECT chunks, embedded, time_to_go FROM kb_rag.status WHERE knowledge_base = 'theirs 4';
ROLLBACK;
-- The stored statistics can be read only through the view.
SET ROLE kb_test165_owner;
SELECT state, message FROM error_of('TABLE kb_rag.base_statistics');
RESET ROLE;

SET client_min_messages = warning;
SELECT count(kb_drop(name)) FROM kb_list();
DROP TABLE attached;
SELECT kb_revoke_admin('kb_test165_owner');
SELECT format('REVOKE CREATE ON DATABASE %I FROM kb_test165_owner', current_database()) \gexec
DROP ROLE kb_test165_owner, kb_test165_friend, kb_test165_passer;
