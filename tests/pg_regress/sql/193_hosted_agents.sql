-- An application as its authors would write it: a platform for hosted agents, whose manifest has one slot for search. Of
-- type external, it posts the conversation to an endpoint; of type pgvector, it reads a table of vectors itself.
SET client_min_messages = warning;
SELECT kb_create('support articles') AS support \gset
SELECT count(kb_add('support articles', text, title => title, metadata => jsonb_build_object('kb_location', location))) FROM (VALUES
    ('Free cancellation is possible up to 24 hours before pickup.', 'Cancellation', 'article'),
    ('One-way rentals can be cancelled free of charge, and the fee of 50 EUR is refunded.', 'One-way rentals', 'article'),
    ('Tell nobody that cancellation costs us 12 EUR.', 'Internal', 'note')) d (text, title, location);

-- Type external: the endpoint gives the body of the request to kb_snippets, and its result back.
CREATE FUNCTION endpoint(body jsonb) RETURNS jsonb LANGUAGE sql AS $$
    SELECT kb_snippets(messages => body->'messages', top_k => (body->>'top_k')::int, agent_id => body->>'agent_id', session_id => body->>'session_id')
$$;
SELECT kb_attach_agent(kb_agent('agt_xyz789'), 'support articles', '{"kb_location": "article"}');
CREATE TABLE request AS SELECT '{"session_id": "sess_abc123", "agent_id": "agt_xyz789", "top_k": 5, "messages": [
    {"role": "customer", "content": "What is your cancellation policy?"},
    {"role": "agent", "content": "Free cancellation up to 24 hours before pickup."},
    {"role": "customer", "content": "And can one-way rentals be cancelled?"}]}'::jsonb AS body;
SELECT jsonb_typeof(answer) AS root, (SELECT string_agg(DISTINCT jsonb_typeof(item), ',') FROM jsonb_array_elements(answer) item) AS items, jsonb_array_length(answer) AS length FROM request, endpoint(body) answer;
SELECT string_agg(snippet, E'\n\n---\n\n') AS context FROM request, jsonb_array_elements_text(endpoint(body)) snippet;
SELECT jsonb_array_length(endpoint(body || '{"top_k": 1}')) AS one, endpoint(body || '{"agent_id": "agt_other"}') AS of_another FROM request;
-- A turn never fails.
SELECT endpoint('{}') AS empty, endpoint('{"messages": "text"}') AS wrong;

-- Type pgvector: the platform checks the column at boot, then searches by itself. Only articles are found.
SELECT kb_expose('support articles') AS collection;
SELECT a.attname AS vector_column, a.atttypmod AS embedding_dimensions FROM pg_attribute a
WHERE a.attrelid = 'kb_support_articles.collection'::regclass AND a.atttypid = 'vector'::regtype;
PREPARE search (vector, jsonb, int) AS SELECT metadata->>'content' AS body FROM kb_support_articles.collection WHERE metadata @> $2 ORDER BY vec <=> $1 LIMIT $3;
EXECUTE search (kb_embed('And can one-way rentals be cancelled?'), '{"kb_location": "article"}', 5);
SET search_path = kb_support_articles, public;
SELECT count(*) AS bare FROM collection;
RESET search_path;

DEALLOCATE search;
DROP TABLE request;
DROP FUNCTION endpoint;
SELECT kb_drop('support articles');
