-- An application as its authors would write it: a site builder whose thousands of agents call match_knowledge_chunks
-- through PostgREST, and put the passages into the prompt.
SET client_min_messages = warning;
SELECT kb_create('knowledge of all agents') AS base \gset
SELECT format('site %s', n) AS agent, kb_attach_agent(kb_agent(format('site %s', n)), 'knowledge of all agents', jsonb_build_object('agent_id', kb_agent(format('site %s', n)))) AS attached FROM generate_series(1, 3) n;
INSERT INTO kb_knowledge_of_all_agents.document (source_type, source_key, title, content, metadata)
SELECT source_type, key, title, content, jsonb_build_object('agent_id', kb_agent(agent))
FROM (VALUES
    ('site 1', 'webpage', 'https://bakery.example/hours', 'Opening hours', 'The bakery opens at six in the morning and closes at noon.'),
    ('site 1', 'webpage', 'https://bakery.example/bread', 'Bread', 'Our rye bread rests for two days before it is baked.'),
    ('site 1', 'docs', 'https://bakery.example/docs/cakes', 'Cakes', 'Cakes for weddings are ordered four weeks before.'),
    ('site 2', 'github', 'https://git.example/garage/README.md', 'Garage', 'The garage opens at eight and changes tyres without an appointment.')) d (agent, source_type, key, title, content);

-- As PostgREST calls it: the arguments are members of the request's JSON body, the vector a text.
CREATE FUNCTION rpc(body json) RETURNS SETOF json LANGUAGE sql AS $$
    WITH args AS (SELECT * FROM json_to_record(body) AS a (p_agent_id uuid, p_query_embedding vector, p_match_count int, p_match_threshold float8))
    SELECT row_to_json(m) FROM args, match_knowledge_chunks(p_agent_id => args.p_agent_id, p_query_embedding => args.p_query_embedding, p_match_count => args.p_match_count, p_match_threshold => args.p_match_threshold) m
$$;
CREATE FUNCTION question(agent text, query text) RETURNS json LANGUAGE sql AS $$
    SELECT json_build_object('p_agent_id', kb_agent(agent), 'p_query_embedding', kb_embed(query)::text, 'p_match_count', 5, 'p_match_threshold', 0.3)
$$;
SELECT c->>'content' AS content, (c->>'similarity')::float8 > 0.3 AS above, c->'metadata'->>'source_url' AS source_url, c->'metadata'->>'title' AS title, c->'metadata'->>'chunk_index' AS chunk_index
FROM rpc(question('site 1', 'When does the bakery open?')) c;
-- What the program made of it: blocks, joined by lines; null where nothing passes.
CREATE FUNCTION formatted(agent text, query text) RETURNS text LANGUAGE sql AS $$
    SELECT string_agg(format(E'[Relevance: %s%%]\n%s', round((c->>'similarity')::float8 * 100), c->>'content'), E'\n\n---\n\n' ORDER BY (c->>'similarity')::float8 DESC) FROM rpc(question(agent, query)) c
$$;
-- What replaces the program.
CREATE VIEW asked AS SELECT agent, query FROM unnest('{site 1,site 2,site 3}'::text[]) agent, unnest('{When does it open?,How is the bread made?,Can I order a cake?,Who won the match?}'::text[]) query;
SELECT agent, query, formatted(agent, query) AS by_the_program, formatted(agent, query) IS NOT DISTINCT FROM kb_context(query, agent_id => kb_agent(agent), mode => 'semantic', match_threshold => 0.3) AS same
FROM asked ORDER BY agent, query;
SELECT kb_context('When does the bakery open?', agent_id => kb_agent('site 1')) AS hybrid;
SELECT kb_context('Who won the match?', agent_id => kb_agent('site 1')) IS NULL AS hybrid_is_null;
-- An agent never sees what belongs to another.
SELECT count(*) FILTER (WHERE c->'metadata'->>'agent_id' = kb_agent('site 1')::text) AS own, count(*) FROM rpc(json_build_object('p_agent_id', kb_agent('site 1'), 'p_query_embedding', kb_embed('open')::text, 'p_match_count', 50, 'p_match_threshold', -1)) c;

-- Two agents have the same URL: each has its own document, and both show the URL.
SELECT count(DISTINCT kb_add('knowledge of all agents', agent || ' read that lamps are cheap.', source_type => 'webpage', source_key => kb_agent(agent) || ' https://lamps.example/',
    metadata => jsonb_build_object('agent_id', kb_agent(agent), 'source_url', 'https://lamps.example/'))) AS documents FROM unnest('{site 1,site 2}'::text[]) agent;
SELECT c->>'content' AS content, c->'metadata'->>'source_url' AS source_url FROM unnest('{site 1,site 2}'::text[]) agent, rpc(question(agent, 'Are lamps cheap?')) c ORDER BY 1;
DELETE FROM kb_knowledge_of_all_agents.document WHERE metadata->>'source_url' = 'https://lamps.example/';

-- The list of an agent's knowledge, with its states; deleting an entry deletes its chunks.
SELECT b.source_type AS content_type, b.title, b.source AS url, b.status, b.error_message, b.chunks AS chunk_count, indexed_at IS NOT NULL AS is_indexed
FROM kb_browse('knowledge of all agents') b JOIN kb_knowledge_of_all_agents.document d ON d.id = b.document_id
WHERE d.metadata @> jsonb_build_object('agent_id', kb_agent('site 1')) ORDER BY b.title;
SELECT kb_delete(document_id) AS deleted FROM kb_browse('knowledge of all agents') WHERE title = 'Cakes';
SELECT count(*) FROM kb_knowledge_of_all_agents.chunk WHERE metadata->>'title' = 'Cakes';
-- Removing an agent removes what is its own.
SELECT kb_agent_drop(kb_agent('site 1'), delete_documents => true) AS deleted;
SELECT title FROM kb_knowledge_of_all_agents.document ORDER BY title;
SELECT count(*) FROM rpc(question('site 1', 'When does the bakery open?'));

DROP VIEW asked;
DROP FUNCTION formatted, question, rpc;
SELECT kb_drop('knowledge of all agents');
