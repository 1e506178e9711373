-- An application as its authors would write it: agents with tables of their own for URLs and chunks, whose vectors the application
-- makes. It keeps its tables and its code; kb_attach follows what it writes, and its call of match_knowledge_chunks is kb_rag's.
SET client_min_messages = warning;
CREATE TABLE bots (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name text NOT NULL);
CREATE TABLE bot_knowledge (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    agent_id uuid REFERENCES bots (id) ON DELETE CASCADE,
    title text NOT NULL,
    url text NOT NULL,
    status text DEFAULT 'pending',
    chunk_count integer DEFAULT 0,
    indexed_at timestamptz,
    UNIQUE (agent_id, url)
);
CREATE TABLE bot_chunks (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    agent_id uuid REFERENCES bots (id) ON DELETE CASCADE,
    knowledge_id uuid NOT NULL REFERENCES bot_knowledge (id) ON DELETE CASCADE,
    content text NOT NULL,
    embedding vector(8),
    metadata jsonb DEFAULT '{}',
    created_at timestamptz DEFAULT now()
);
CREATE INDEX ON bot_chunks USING hnsw (embedding vector_cosine_ops);
INSERT INTO bots (id, name) VALUES ('a0000000-0000-0000-0000-000000000001', 'bakery'), ('a0000000-0000-0000-0000-000000000002', 'garage');
-- What the application does for a URL, in its language: one row for each chunk.
CREATE FUNCTION index_url(agent uuid, title text, url text, chunks text[]) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE known uuid;
BEGIN
    INSERT INTO bot_knowledge (agent_id, title, url) VALUES (agent, index_url.title, index_url.url) RETURNING id INTO known;
    INSERT INTO bot_chunks (agent_id, knowledge_id, content, embedding, metadata)
    SELECT agent, known, chunk, kb_embed(chunk, 'fake/test', 8)::text::vector, jsonb_build_object('source_url', index_url.url, 'chunk_index', n - 1, 'title', index_url.title)
    FROM unnest(chunks) WITH ORDINALITY c (chunk, n);
    UPDATE bot_knowledge SET status = 'indexed', chunk_count = cardinality(chunks), indexed_at = now() WHERE id = known;
    RETURN known;
END
$$;
SELECT index_url('a0000000-0000-0000-0000-000000000001', 'Hours', 'https://bakery.example/hours', ARRAY['The bakery opens at six.', 'It closes at noon.']) AS hours \gset

-- What replaces its search: the base of its model, the table with its vectors, and each agent with its own chunks.
SELECT kb_create('bots', model => 'fake/test', dimensions => 8) IS NOT NULL AS created;
SELECT kb_attach('bot_chunks', 'bots', content => 'content', metadata => '{agent_id,knowledge_id,metadata}', embedding => 'embedding', wait => true) IS NOT NULL AS attached;
CREATE FUNCTION attach_bot() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM kb_attach_agent(new.id, 'bots', jsonb_build_object('agent_id', new.id));
    RETURN new;
END
$$;
CREATE TRIGGER attach_bot AFTER INSERT ON bots FOR EACH ROW EXECUTE FUNCTION attach_bot();
SELECT count(kb_attach_agent(id, 'bots', jsonb_build_object('agent_id', id))) FROM bots;
SELECT index_url('a0000000-0000-0000-0000-000000000002', 'Tyres', 'https://garage.example/', ARRAY['The garage changes tyres.']) AS tyres \gset

-- Its call, as it sends it.
CREATE FUNCTION ask(agent uuid, query text, threshold float8 DEFAULT -1, OUT content text, OUT above boolean, OUT metadata jsonb) RETURNS SETOF record LANGUAGE sql AS $$
    SELECT m.content, m.similarity > threshold, m.metadata - '{agent_id,knowledge_id,key}'::text[]
    FROM match_knowledge_chunks(p_agent_id => agent, p_query_embedding => kb_embed(query, 'fake/test', 8)::text::vector, p_match_count => 5, p_match_threshold => threshold) m
$$;
SELECT * FROM ask('a0000000-0000-0000-0000-000000000001', 'The bakery opens at six.');
SELECT * FROM ask('a0000000-0000-0000-0000-000000000002', 'The bakery opens at six.');
SELECT * FROM ask('a0000000-0000-0000-0000-000000000001', 'The bakery opens at six.', 0.99);
-- Exactly what its own function found: one that its migration made, and that is dropped now.
CREATE FUNCTION own_match(p_agent_id uuid, p_query_embedding vector(8), p_match_count int DEFAULT 5, p_match_threshold float8 DEFAULT 0.3)
RETURNS TABLE (id uuid, content text, similarity float8, metadata jsonb) LANGUAGE sql AS $$
    SELECT c.id, c.content, 1 - (c.embedding <=> p_query_embedding), c.metadata FROM bot_chunks c
    WHERE c.agent_id = p_agent_id AND 1 - (c.embedding <=> p_query_embedding) > p_match_threshold ORDER BY c.embedding <=> p_query_embedding LIMIT p_match_count
$$;
SELECT b.name, count(*) AS found, bool_and(abs(o.similarity - m.similarity) < 1e-6 AND o.content = m.content AND m.metadata @> o.metadata AND m.metadata #>> '{key,id}' = o.id::text) AS same
FROM bots b, unnest('{When does it open?,Who changes tyres?}'::text[]) query, LATERAL (SELECT kb_embed(query, 'fake/test', 8) AS v) e,
    LATERAL (SELECT row_number() OVER () AS n, * FROM own_match(b.id, e.v, 5, -1)) o JOIN LATERAL (SELECT row_number() OVER () AS n, * FROM match_knowledge_chunks(b.id, e.v, 5, -1)) m USING (n)
GROUP BY 1 ORDER BY 1;
-- And by words, which it could not before.
SELECT content, metadata ->> 'source_url' AS url FROM kb_hybrid_search('tyres', agent_id => 'a0000000-0000-0000-0000-000000000002', query_embedding => kb_embed('tyres', 'fake/test', 8), match_count => 1);
SELECT kb_context('When does the bakery open?', agent_id => 'a0000000-0000-0000-0000-000000000001', mode => 'keyword', match_count => 1) AS context;

-- A new agent, indexed again, a URL deleted, an agent deleted.
INSERT INTO bots (id, name) VALUES ('a0000000-0000-0000-0000-000000000003', 'library');
SELECT index_url('a0000000-0000-0000-0000-000000000003', 'Books', 'https://library.example/', ARRAY['Books are lent for a month.']) IS NOT NULL AS indexed;
SELECT content FROM ask('a0000000-0000-0000-0000-000000000003', 'books');
BEGIN;
DELETE FROM bot_chunks WHERE knowledge_id = :'hours';
INSERT INTO bot_chunks (agent_id, knowledge_id, content, embedding) VALUES ('a0000000-0000-0000-0000-000000000001', :'hours', 'It is open all day.', kb_embed('It is open all day.', 'fake/test', 8)::text::vector);
COMMIT;
SELECT content FROM ask('a0000000-0000-0000-0000-000000000001', 'open');
DELETE FROM bot_knowledge WHERE id = :'tyres';
SELECT count(*) FROM ask('a0000000-0000-0000-0000-000000000002', 'tyres');
DELETE FROM bots WHERE name = 'library';
SELECT source_key IN (SELECT id::text FROM bot_chunks) AS known, content FROM kb_bots.document;
SELECT documents, stale_vectors FROM kb_rag.source_status;
SELECT kb_reconcile('bots');
SELECT kb_drop('bots');
