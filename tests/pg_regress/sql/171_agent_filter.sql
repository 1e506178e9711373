-- Agents that share a base: each finds only chunks whose metadata contains its filter.
SET client_min_messages = warning;
SELECT kb_create('crm', model => 'fake/test', dimensions => 32) AS crm, kb_create('wiki', model => 'fake/test', dimensions => 32) AS wiki \gset
SELECT count(kb_add(kb, text, title => title, metadata => metadata))
FROM (VALUES
    ('crm', 'Ann 1', 'Ann ordered a red bicycle.', '{"owner": "ann", "year": 2024}'::jsonb),
    ('crm', 'Ann 2', 'Ann ordered a blue bicycle.', '{"owner": "ann", "year": 2025}'),
    ('crm', 'Bob 1', 'Bob ordered a green bicycle.', '{"owner": "bob", "year": 2025}'),
    ('crm', 'All', 'Everybody ordered a bicycle.', '{}'),
    ('wiki', 'Brakes', 'A bicycle has two brakes.', '{"public": true}'),
    ('wiki', 'Prices', 'A bicycle costs us 100.', '{"public": false}')
) t (kb, title, text, metadata);
SELECT kb_agent('ann') AS ann, kb_agent('bob') AS bob, kb_agent('all') AS everything \gset
SELECT kb_attach_agent(:'ann', 'crm', '{"owner": "ann"}');
SELECT kb_attach_agent(agent_id => :'bob', knowledge_base => 'crm', filter => '{"owner": "bob"}');
SELECT kb_attach_agent(:'everything', 'crm');

-- Every search, in every mode and with every ranker.
CREATE FUNCTION found_by(agent uuid) RETURNS TABLE (search text, titles text[]) LANGUAGE sql AS $$
    SELECT 'kb_hybrid_search', array_agg(title ORDER BY title) FROM kb_hybrid_search('bicycle', agent_id => agent, match_count => 10)
    UNION ALL
    SELECT concat_ws(' ', 'kb_search', mode, ranker, fusion), (SELECT array_agg(title ORDER BY title) FROM kb_search('bicycle', mode => mode, agent_id => agent, match_count => 10, ranker => ranker, fusion => fusion))
    FROM unnest('{hybrid,semantic,keyword}'::text[]) mode, unnest('{bm25,ts_rank,ts_rank_cd}'::text[]) ranker, unnest('{rrf,relative}'::text[]) fusion
    UNION ALL
    SELECT 'match_knowledge_chunks', array_agg(metadata->>'title' ORDER BY metadata->>'title') FROM match_knowledge_chunks(agent, kb_embed('bicycle', 'fake/test', 32), 10, -1)
$$;
SELECT name, titles, count(*) AS searches
FROM (VALUES (1, 'ann'), (2, 'bob'), (3, 'all')) a (place, name) CROSS JOIN LATERAL found_by(kb_agent(name))
GROUP BY place, name, titles ORDER BY place, titles;

-- The filter of a call holds too, and so does the syntax of the query.
SELECT title FROM kb_search('bicycle', agent_id => :'ann', filter => '{"year": 2025}');
SELECT count(*) FROM kb_search('bicycle', agent_id => :'ann', filter => '{"owner": "bob"}');
SELECT title FROM kb_search('bicycle -red', agent_id => :'ann', syntax => 'web');
-- The statistics of the ranker are those of the base: a chunk has the same score whoever asks.
SELECT count(*) AS same FROM kb_search('green bicycle', 'crm', 'keyword') a JOIN kb_search('green bicycle', mode => 'keyword', agent_id => :'bob') b USING (chunk_id, score);

-- Attached again, with another filter and with none.
SELECT kb_attach_agent(:'bob', 'crm', '{"year": 2025}');
SELECT DISTINCT titles FROM found_by(:'bob');
SELECT kb_attach_agent(:'bob', 'crm', NULL);
SELECT DISTINCT titles FROM found_by(:'bob');
SELECT kb_attach_agent(:'bob', 'crm', '{"owner": "bob"}');
-- The same filter writes nothing.
SELECT xmin AS before FROM kb_rag.agent_knowledge_base WHERE agent_id = :'bob' \gset
SELECT kb_attach_agent(:'bob', 'crm', '{"owner": "bob"}');
SELECT xmin = :'before' AS unchanged FROM kb_rag.agent_knowledge_base WHERE agent_id = :'bob';

-- Several bases: each has a filter of its own.
SELECT kb_attach_agent(:'ann', 'wiki', '{"public": true}');
SELECT DISTINCT titles FROM found_by(:'ann');
SELECT kb_detach_agent(:'ann', 'crm');
SELECT DISTINCT titles FROM found_by(:'ann');
SELECT kb_attach_agent(:'ann', 'crm', '{"owner": "ann"}');

-- The id of a base is an agent without a filter.
SELECT DISTINCT titles FROM found_by(:'crm');

-- A base and an agent: that base under the filter of the agent.
SELECT title FROM kb_search('bicycle', 'crm', agent_id => :'ann', match_count => 10) ORDER BY title;
SELECT title FROM kb_hybrid_search('bicycle', 'wiki', agent_id => :'ann', match_count => 10) ORDER BY title;
SELECT title FROM kb_search('bicycle', 'wiki', agent_id => :'wiki', match_count => 10) ORDER BY title;
SELECT * FROM error_of(format($$SELECT * FROM kb_search('bicycle', 'wiki', agent_id => %L)$$, :'bob'));
SELECT state, message = format('knowledge base "wiki" is not attached to agent %s', :'crm') AS not_attached
FROM error_of(format($$SELECT * FROM kb_hybrid_search('bicycle', 'wiki', agent_id => %L)$$, :'crm'));
SELECT state, message FROM error_of(format($$SELECT * FROM kb_search('bicycle', 'none', agent_id => %L)$$, :'ann'));
-- A role that may not read the base is not told what is attached to it.
CREATE ROLE kb_test171_other;
SET ROLE kb_test171_other;
SELECT DISTINCT state, message FROM unnest(ARRAY[:'ann', :'bob']) agent, error_of(format($$SELECT * FROM kb_search('bicycle', 'wiki', agent_id => %L)$$, agent));
SELECT state, message FROM error_of(format($$SELECT * FROM kb_search('bicycle', agent_id => %L)$$, :'ann'));
RESET ROLE;
SELECT kb_grant('wiki', 'kb_test171_other', 'read');
SET ROLE kb_test171_other;
SELECT title FROM kb_search('bicycle', 'wiki', agent_id => :'ann', match_count => 10) ORDER BY title;
-- It is no privilege: the role finds the rest without the agent.
SELECT title FROM kb_search('bicycle', 'wiki', match_count => 10) ORDER BY title;
SELECT state, message FROM error_of(format($$SELECT kb_attach_agent(%L, 'wiki', '{}')$$, :'ann'));
RESET ROLE;
SELECT DISTINCT titles FROM found_by(:'ann');

-- Under row security the filter and the policies both hold.
ALTER TABLE kb_wiki.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY short ON kb_wiki.document USING (title <> 'Brakes');
SET ROLE kb_test171_other;
SELECT title FROM kb_search('bicycle', 'wiki', match_count => 10);
SELECT count(*) FROM kb_search('bicycle', 'wiki', agent_id => :'ann', match_count => 10);
RESET ROLE;

-- Invalid filters change nothing.
SELECT * FROM error_of(format($$SELECT kb_attach_agent(%L, 'crm', '{"year": {"$above": 2024}}')$$, :'ann'));
SELECT * FROM error_of(format($$SELECT kb_attach_agent(%L, 'crm', '["ann"]')$$, :'ann'));
SELECT state FROM error_of(format($$UPDATE kb_rag.agent_knowledge_base SET filter = '[]' WHERE agent_id = %L$$, :'ann'));
SELECT filter FROM kb_rag.agent_knowledge_base WHERE agent_id = :'ann' ORDER BY filter::text;

-- A restore may bring an attachment to an id that a base has: the base alone counts.
INSERT INTO kb_rag.agent_knowledge_base (agent_id, knowledge_base_id, filter) VALUES (:'crm', :'wiki', '{}'), (:'crm', :'crm', '{"owner": "bob"}');
SELECT DISTINCT titles FROM found_by(:'crm');
SELECT state FROM error_of(format($$SELECT * FROM kb_search('bicycle', 'wiki', agent_id => %L)$$, :'crm'));

-- A notice for a filter that no chunk can pass.
SET client_min_messages = notice;
SELECT kb_attach_agent(:'ann', 'crm', '{"ownr": "ann"}');
SET client_min_messages = warning;

DROP FUNCTION found_by;
SELECT kb_drop('crm'), kb_drop('wiki');
DROP ROLE kb_test171_other;
SELECT count(*) FROM kb_rag.agent_knowledge_base;
RESET client_min_messages;
