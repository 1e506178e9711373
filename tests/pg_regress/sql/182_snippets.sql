-- kb_snippets: what the search endpoint of an agent returns for a conversation.
SET client_min_messages = warning;
SELECT kb_create('rentals') AS rentals, kb_create('cars') AS cars \gset
SELECT count(kb_add(kb, text)) FROM (VALUES
    ('rentals', 'One-way rentals can be cancelled free of charge up to 24 hours before pickup.'),
    ('rentals', 'The fee for one-way rentals is 50 EUR and is refunded in full after a cancellation.'),
    ('rentals', 'A driver must be at least 21 years old.'),
    ('cars', 'The small car has room for two suitcases.')) t (kb, text);
SELECT kb_attach_agent(kb_agent('agt_xyz789'), 'rentals');

-- The envelope of the endpoint's contract, its members as arguments by name.
SELECT jsonb_array_elements_text(kb_snippets(session_id => 'sess_abc123', agent_id => 'agt_xyz789', top_k => 5, messages => '[
    {"role": "customer", "content": "What''s your cancellation policy?"},
    {"role": "agent", "content": "Free cancellation up to 24 hours before pickup."},
    {"role": "customer", "content": "And for one-way rentals?"}]'));
SELECT kb_snippets('[{"role": "user", "content": "And for one-way rentals?"}]', 1);
SELECT kb_snippets('[{"role": "user", "content": "How many suitcases go into the small car?"}]', agent_id => 'agt_xyz789') AS of_the_agent,
    kb_snippets('[{"role": "user", "content": "How many suitcases go into the small car?"}]') AS of_the_caller,
    kb_snippets('[{"role": "user", "content": "How many suitcases go into the small car?"}]', agent_id => :'cars') AS of_one_base;
SELECT kb_snippets('[{"role": "user", "content": "How old must a driver be?"}, {"role": "tool", "content": "{}"}, {"role": "assistant", "content": "Let me see."}, {"role": "system", "content": "Be brief."}]');
SELECT kb_snippets('[{"role": "Human", "content": [{"type": "text", "text": "How old must a driver be?"}]}]');
SELECT kb_snippets('[{"role": "user", "content": "Hello, how are you?"}]') AS nothing;
-- A conversation of 1,000 messages.
SELECT kb_snippets(jsonb_agg(jsonb_build_object('role', CASE n % 2 WHEN 0 THEN 'user' ELSE 'assistant' END, 'content', CASE n WHEN 1000 THEN 'How old must a driver be?' ELSE 'Message ' || n END) ORDER BY n)) FROM generate_series(1, 1000) n;

-- A failure is a warning and an empty array, whatever it is.
SELECT kb_snippets(NULL);
SELECT kb_snippets('{"messages": []}');
SELECT kb_snippets('[]');
SELECT kb_snippets('[{"role": "assistant", "content": "Hello"}]');
SELECT kb_snippets('[{"content": "Hello"}]');
SELECT kb_snippets('[{"role": "user", "content": 5}]');
SELECT kb_snippets('[{"role": "user", "content": "car"}]', 0);
SELECT kb_snippets(('[{"role": "user", "content": "' || repeat('car ', 20000) || '"}]')::jsonb);
SELECT kb_snippets((repeat('[', 500) || repeat(']', 500))::jsonb);
-- A model that cannot be used, and a base whose table is broken: the transaction goes on.
BEGIN;
UPDATE kb_rag.knowledge_base SET model = 'nowhere/model' WHERE name = 'cars';
SELECT kb_snippets('[{"role": "user", "content": "suitcases"}]', agent_id => :'cars');
ALTER TABLE kb_rentals.chunk RENAME COLUMN tsv TO lexemes;
SELECT kb_snippets('[{"role": "user", "content": "driver"}]', agent_id => :'rentals');
SELECT 1 AS goes_on;
ROLLBACK;
-- Rights too; and where the role may read, it finds.
CREATE ROLE kb_test182_agent;
SET ROLE kb_test182_agent;
SELECT kb_snippets('[{"role": "user", "content": "suitcases"}]', agent_id => :'cars');
RESET ROLE;
SELECT kb_grant('cars', 'kb_test182_agent', 'read');
SET ROLE kb_test182_agent;
SELECT kb_snippets('[{"role": "user", "content": "suitcases"}]', agent_id => :'cars');
RESET ROLE;
-- Not a canceled statement.
CREATE FUNCTION slow(text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(30); RETURN true; END $$;
CREATE POLICY slow ON kb_cars.document USING (slow(content));
ALTER TABLE kb_cars.document ENABLE ROW LEVEL SECURITY;
SET ROLE kb_test182_agent;
SET statement_timeout = '200ms';
SELECT kb_snippets('[{"role": "user", "content": "suitcases"}]', agent_id => :'cars');
RESET statement_timeout;
RESET ROLE;

SELECT kb_drop(name) FROM kb_list();
DROP FUNCTION slow;
DROP OWNED BY kb_test182_agent;
DROP ROLE kb_test182_agent;
