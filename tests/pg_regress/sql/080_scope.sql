-- Scopes: one base, the bases of an agent, or all readable bases.
SET client_min_messages = warning;
SELECT kb_create('north', model => 'fake/test', dimensions => 32) AS north,
    kb_create('south', model => 'fake/test', dimensions => 32) AS south,
    kb_create('other model', model => 'fake/other', dimensions => 16) AS other \gset
SELECT count(kb_add(kb, text, title => title))
FROM (VALUES
    ('north', 'Moose', 'Moose live in the cold forest.'),
    ('north', 'Wolf', 'Wolves live in packs in the forest.'),
    ('south', 'Lion', 'Lions live in the savanna with their pride.'),
    ('south', 'Giraffe', 'Giraffes eat leaves of tall trees.'),
    ('other model', 'Camel', 'Camels live in the desert without water.')
) t (kb, title, text);

SELECT title, knowledge_base FROM kb_hybrid_search('which animals live in the savanna', 'north', 10);
-- Arms are merged over the bases before fusion: the one relevant chunk ranks first, wherever it is.
SELECT title, knowledge_base, semantic_rank, keyword_rank FROM kb_hybrid_search('lions in the savanna', match_count => 1);
SELECT title, knowledge_base FROM kb_hybrid_search('camels in the desert', match_count => 1);
SELECT count(*) AS all_passages FROM kb_hybrid_search('animals', match_count => 10);

-- An agent searches exactly the bases attached to it.
\set agent '''a0000000-0000-0000-0000-000000000001'''
SELECT count(*) FROM kb_hybrid_search('animals', agent_id => :agent);
SELECT kb_attach_agent(:agent, 'north');
SELECT kb_attach_agent(:agent, 'north');
SELECT title FROM kb_hybrid_search('lions live in the savanna', agent_id => :agent) ORDER BY title;
SELECT kb_attach_agent(:agent, 'other model');
SELECT title FROM kb_hybrid_search('lions live in the savanna', agent_id => :agent) ORDER BY title;
SELECT kb_detach_agent(:agent, 'other model');
-- A base's own id is an agent with only that base.
SELECT title FROM kb_hybrid_search('animals', agent_id => :'south') ORDER BY title;

-- match_knowledge_chunks: by vector, similarity strictly above the threshold.
SELECT content, round(similarity::numeric, 3) AS similarity, metadata
FROM match_knowledge_chunks(:agent, kb_embed('Wolf Wolves live in packs in the forest', 'fake/test', 32));
SELECT content FROM match_knowledge_chunks(p_agent_id => :agent, p_query_embedding => kb_embed('Wolf', 'fake/test', 32), p_match_count => 5, p_match_threshold => -1);
SELECT count(*) FROM match_knowledge_chunks(:agent, (SELECT embedding FROM kb_north.embedding ORDER BY chunk_id LIMIT 1), 5, 1.0);
SELECT count(*) FROM match_knowledge_chunks(:agent, (SELECT embedding FROM kb_north.embedding ORDER BY chunk_id LIMIT 1), 5, 0.999999);
SELECT count(*) FROM match_knowledge_chunks('b0000000-0000-0000-0000-000000000001', kb_embed('Wolf', 'fake/test', 32));
-- chunk_index stands beside chunkIndex, in its metadata alone; a key of the user's stays.
SELECT kb_add('south', 'Zebras have stripes.', title => 'Zebra', metadata => '{"chunk_index": "own"}') IS NOT NULL AS added;
SELECT content, metadata->'chunkIndex' AS "chunkIndex", metadata->'chunk_index' AS chunk_index
FROM match_knowledge_chunks(:'south', kb_embed('Zebra', 'fake/test', 32), 10, -1) ORDER BY content;
SELECT count(*) FROM kb_search('stripes leaves', 'south', 'keyword') WHERE metadata ? 'chunk_index';
SELECT count(*) FROM kb_south.chunk WHERE metadata ? 'chunk_index';
DELETE FROM kb_south.document WHERE title = 'Zebra';
-- The same as plain pgvector.
SELECT bool_and(m.id = p.chunk_id AND abs(m.similarity - p.similarity) < 1e-12) AS equal, count(*)
FROM (SELECT *, row_number() OVER () AS place FROM match_knowledge_chunks(:'south', kb_embed('trees', 'fake/test', 32), 10, -1)) m
FULL JOIN (
    SELECT chunk_id, 1 - (embedding <=> kb_embed('trees', 'fake/test', 32)) AS similarity,
        row_number() OVER (ORDER BY embedding <=> kb_embed('trees', 'fake/test', 32), chunk_id) AS place
    FROM kb_south.embedding
) p USING (place);

-- Invalid arguments.
SELECT kb_attach_agent(:agent, 'other model');
SELECT * FROM error_of(format($$SELECT * FROM match_knowledge_chunks(%L, kb_embed('x', 'fake/test', 32))$$, :agent));
SELECT * FROM error_of($$SELECT * FROM match_knowledge_chunks(NULL, '[1]')$$);
SELECT * FROM error_of(format($$SELECT * FROM match_knowledge_chunks(%L, NULL)$$, :'south'));
SELECT * FROM error_of(format($$SELECT * FROM match_knowledge_chunks(%L, '[1]')$$, :'south'));
SELECT * FROM error_of(format($$SELECT * FROM match_knowledge_chunks(%L, '[1,2]')$$, :'south'));
SELECT * FROM error_of(format($$SELECT * FROM match_knowledge_chunks(%L, array_fill(0, ARRAY[32])::vector)$$, :'south'));
SELECT * FROM error_of(format($$SELECT * FROM match_knowledge_chunks(%L, kb_embed('x', 'fake/test', 32), 0)$$, :'south'));
SELECT * FROM error_of(format($$SELECT * FROM match_knowledge_chunks(%L, kb_embed('x', 'fake/test', 32), 5, 'NaN')$$, :'south'));
SELECT state FROM error_of(format($$SELECT * FROM match_knowledge_chunks(%L, '[NaN]')$$, :'south'));
SELECT * FROM error_of($$SELECT * FROM kb_hybrid_search('x', 'south', agent_id => 'a0000000-0000-0000-0000-000000000001')$$);
SELECT * FROM error_of($$SELECT kb_attach_agent(NULL, 'north')$$);
SELECT * FROM error_of($$SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000001', NULL)$$);
SELECT * FROM error_of($$SELECT kb_attach_agent('a0000000-0000-0000-0000-000000000001', 'none')$$);
SELECT * FROM error_of($$SELECT kb_detach_agent('a0000000-0000-0000-0000-000000000001', 'south')$$);

-- Dropping a base detaches it.
SELECT kb_drop('other model');
SELECT count(*) FROM match_knowledge_chunks(:agent, kb_embed('Wolf', 'fake/test', 32), 5, -1);
SELECT kb_drop('north'), kb_drop('south');
SELECT count(*) FROM kb_rag.agent_knowledge_base;
