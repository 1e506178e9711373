-- kb_agent_list and kb_agent_drop.
SET client_min_messages = warning;
CREATE ROLE kb_test172_tenant;
CREATE ROLE kb_test172_reader;
SELECT kb_grant_admin('kb_test172_tenant');
SELECT kb_create('shared', model => 'fake/test', dimensions => 8) AS shared, kb_create('notes', model => 'fake/test', dimensions => 8) IS NOT NULL AS created \gset
SET ROLE kb_test172_tenant;
SELECT kb_create('theirs', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
RESET ROLE;
SELECT kb_agent('ann') AS ann, kb_agent('bob') AS bob, kb_agent('nobody') AS nobody \gset
SELECT kb_attach_agent(:'ann', 'shared', '{"owner": "ann"}');
SELECT kb_attach_agent(:'bob', 'shared');
SELECT kb_attach_agent(:'ann', 'theirs');
CREATE FUNCTION attached() RETURNS TABLE (name text, knowledge_base text, filter jsonb) LANGUAGE sql AS $$
    SELECT n, l.knowledge_base, l.filter FROM kb_agent_list() l JOIN unnest('{ann,bob,nobody}'::text[]) n ON l.agent_id = kb_agent(n)
    ORDER BY 1, 2
$$;

-- Sorted by agent and base; NULL is all bases.
SELECT * FROM attached();
SELECT count(*), count(*) = count(*) FILTER (WHERE sorted) AS sorted FROM (SELECT (agent_id, knowledge_base) >= lag((agent_id, knowledge_base), 1, (agent_id, knowledge_base)) OVER () AS sorted FROM kb_agent_list(NULL)) l;
SELECT knowledge_base, filter FROM kb_agent_list('shared') WHERE agent_id = :'ann';
SELECT count(*) FROM kb_agent_list(knowledge_base => 'shared');
SELECT count(*) FROM kb_agent_list('notes');
SELECT state, message, hint FROM error_of($$SELECT * FROM kb_agent_list('share')$$);
-- Only bases that the caller may read.
SET ROLE kb_test172_tenant;
SELECT * FROM attached();
SELECT state, message FROM error_of($$SELECT * FROM kb_agent_list('shared')$$);
SET ROLE kb_test172_reader;
SELECT * FROM attached();
RESET ROLE;
SELECT kb_grant('shared', 'kb_test172_reader', 'read');
SET ROLE kb_test172_reader;
SELECT * FROM attached();
SELECT count(*) FROM kb_agent_list('shared');
RESET ROLE;

-- Documents of the agents, by their metadata; in any base.
SELECT count(kb_add(kb, text, metadata => jsonb_build_object('agent_id', agent)))
FROM (VALUES
    ('shared', 'Ann in the shared base.', :'ann'), ('shared', 'Ann again.', :'ann'), ('shared', 'Bob in the shared base.', :'bob'),
    ('notes', 'Ann in the notes.', :'ann'), ('notes', 'In capitals.', upper(:'ann')), ('notes', 'By name.', 'ann')
) t (kb, text, agent);
INSERT INTO kb_notes.document (content, metadata) VALUES ('Nested.', jsonb_build_object('by', jsonb_build_object('agent_id', :'ann'::text))), ('A list.', jsonb_build_object('agent_id', jsonb_build_array(:'ann'::text)));
SET ROLE kb_test172_tenant;
SELECT kb_add('theirs', 'Ann in theirs.', metadata => jsonb_build_object('agent_id', :'ann'::text)) IS NOT NULL AS added;
RESET ROLE;

-- A role that does not administer all bases of the agent removes nothing, and is not told their names.
SET ROLE kb_test172_tenant;
SELECT * FROM error_of(format('SELECT kb_agent_drop(%L, true)', :'ann'));
SET ROLE kb_test172_reader;
SELECT state, message FROM error_of(format('SELECT kb_agent_drop(%L)', :'bob'));
RESET ROLE;
SELECT * FROM attached();
SELECT count(*) FROM kb_shared.document;

-- Without its documents.
SELECT kb_agent_drop(:'bob');
SELECT name, knowledge_base FROM attached();
SELECT count(*) FROM kb_search('bob', 'shared', 'keyword');
SELECT kb_agent_drop(agent_id => :'bob', delete_documents => true);
SELECT count(*) FROM kb_search('bob', 'shared', 'keyword');
-- An agent that has nothing.
SELECT kb_agent_drop(:'nobody', true);

-- With its documents: in its bases, also those of other owners, and in others of the caller's circle. Code of an owner runs
-- with the privileges of that owner.
SET ROLE kb_test172_tenant;
CREATE TABLE kb_theirs.ran_as (role name);
CREATE FUNCTION kb_theirs.note() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO kb_theirs.ran_as VALUES (current_user); RETURN OLD; END';
CREATE TRIGGER note BEFORE DELETE ON kb_theirs.document FOR EACH ROW EXECUTE FUNCTION kb_theirs.note();
RESET ROLE;
SELECT kb_agent_drop(:'ann', delete_documents => true);
SELECT role FROM kb_theirs.ran_as;
SELECT count(*) FROM attached();
SELECT content FROM kb_notes.document UNION ALL SELECT content FROM kb_shared.document UNION ALL SELECT content FROM kb_theirs.document ORDER BY 1;

-- Outside of the circle, and under policies of an owner that is not trusted, documents stay.
SET client_min_messages = notice;
INSERT INTO kb_theirs.document (content, metadata) VALUES ('Outside.', jsonb_build_object('agent_id', :'ann'::text));
SELECT kb_agent_drop(:'ann', true);
SELECT kb_grant('theirs', 'kb_test172_reader', 'write');
ALTER TABLE kb_theirs.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY everything ON kb_theirs.document USING (true);
SET ROLE kb_test172_reader;
SELECT kb_agent_drop(:'ann', true);
SET ROLE kb_test172_tenant;
SELECT kb_agent_drop(:'ann', true);
RESET ROLE;
SET client_min_messages = warning;
-- Policies decide which documents a role may delete.
SELECT kb_grant('notes', 'kb_test172_reader', 'write');
INSERT INTO kb_notes.document (title, content, metadata) SELECT title, 'A note.', jsonb_build_object('agent_id', :'ann'::text) FROM unnest('{mine,other}'::text[]) title;
ALTER TABLE kb_notes.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY mine ON kb_notes.document USING (title = 'mine');
SET ROLE kb_test172_reader;
SELECT kb_agent_drop(:'ann', true);
RESET ROLE;
SELECT title FROM kb_notes.document WHERE title IS NOT NULL;
-- Readers delete nothing.
SELECT kb_revoke('notes', 'kb_test172_reader', 'write');
ALTER TABLE kb_notes.document DISABLE ROW LEVEL SECURITY;
SET ROLE kb_test172_reader;
SELECT kb_agent_drop(:'ann', true);
RESET ROLE;
SELECT count(*) FROM kb_notes.document WHERE title IS NOT NULL;

-- Where the schema is gone, its owner can still remove the agent. What is attached to no base goes too.
SELECT kb_attach_agent(:'ann', 'theirs');
INSERT INTO kb_rag.agent_knowledge_base (agent_id, knowledge_base_id) VALUES (:'ann', gen_random_uuid());
DROP SCHEMA kb_theirs CASCADE;
SET ROLE kb_test172_reader;
SELECT state FROM error_of(format('SELECT kb_agent_drop(%L)', :'ann'));
SET ROLE kb_test172_tenant;
SELECT kb_agent_drop(:'ann');
RESET ROLE;
SELECT count(*) FROM kb_rag.agent_knowledge_base;

-- Nobody adds a base to another role's agent, also where row security applies to all of its bases.
SELECT kb_grant_admin('kb_test172_reader');
SET ROLE kb_test172_tenant;
SELECT kb_create('secured', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
CREATE POLICY own ON kb_secured.document USING (true);
ALTER TABLE kb_secured.document ENABLE ROW LEVEL SECURITY;
SELECT kb_attach_agent(kb_agent('victim'), 'secured');
SET ROLE kb_test172_reader;
SELECT kb_create('evil', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT state FROM error_of($$SELECT kb_attach_agent(kb_agent('victim'), 'evil')$$);
SELECT kb_attach_agent(kb_agent('own'), 'evil');
RESET ROLE;
SELECT knowledge_base, agent_id = kb_agent('victim') AS of_the_victim FROM kb_agent_list() ORDER BY 1;
SELECT kb_drop('secured'), kb_drop('evil');
SELECT kb_revoke_admin('kb_test172_reader');

-- Invalid arguments.
SELECT state, replace(message, :'shared', '…') AS message, hint FROM error_of(format('SELECT kb_agent_drop(%L)', :'shared'));
SELECT state, message FROM error_of('SELECT kb_agent_drop(NULL)');

SELECT kb_drop('shared'), kb_drop('notes'), kb_drop('theirs');
SELECT kb_revoke_admin('kb_test172_tenant');
DROP FUNCTION attached;
DROP ROLE kb_test172_tenant, kb_test172_reader;
RESET client_min_messages;
