-- kb_agent: the identifier of an agent, from any name.
SELECT kb_agent('agt_xyz789'), kb_agent('agt_xyz789') = kb_agent('agt_xyz788') AS same, kb_agent(name => ' agt_xyz789') = kb_agent('agt_xyz789') AS trimmed;
-- A UUIDv5 of the UTF-8 text.
SELECT kb_agent('Ünïcode agent');
-- A uuid is itself, in every form that PostgreSQL reads.
SELECT form, (error_of(format('SELECT %L::uuid', form))).state AS read_as_uuid, kb_agent(form)
FROM unnest(ARRAY[
    'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11', '{a0eebc99-9c0b4ef8-bb6d6bb9-bd380a11}',
    'a0eebc999c0b4ef8bb6d6bb9bd380a11', 'a0ee-bc99-9c0b-4ef8-bb6d-6bb9-bd38-0a11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11 ',
    '{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'a0eebc-999c0b-4ef8-bb6d-6bb9bd380a11', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1']) form;
SELECT bool_and(kb_agent(id::text) = id) AS same FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 1000)) r;
SELECT * FROM error_of($$SELECT kb_agent(NULL)$$);
SELECT * FROM error_of($$SELECT kb_agent(' ')$$);

-- Labeled for indexes and for parallel plans.
CREATE TABLE assistants (name text NOT NULL, id uuid GENERATED ALWAYS AS (kb_agent(name)) STORED);
INSERT INTO assistants (name) VALUES ('agt_xyz789');
SELECT id = kb_agent(name) AS same FROM assistants;
DROP TABLE assistants;
