-- Knowledge bases for a cluster to be upgraded: one with the local model, one with the fake model and enough chunks for
-- a large segment of the keyword index, several languages, agents, their own owner and reader.
SET client_min_messages = warning;
DROP ROLE IF EXISTS move_owner, move_reader;
CREATE ROLE move_owner;
CREATE ROLE move_reader;
CREATE EXTENSION kb_rag CASCADE;
-- Nothing is left to workers, because their work would change the answers between two runs.
SET kb_rag.inline_chunks = 1000000;
SELECT pg_catalog.format('GRANT CREATE ON DATABASE %I TO move_owner', pg_catalog.current_database()) \gexec
GRANT EXECUTE ON FUNCTION kb_create TO move_owner;
SET ROLE move_owner;
SELECT kb_create('handbook', 'how we work');
RESET ROLE;
SELECT kb_create('notes', model => 'fake/test', dimensions => 8, chunk_size => 200, chunk_overlap => 20, text_config => 'english');
INSERT INTO kb_handbook.document (title, content, metadata) VALUES
    ('Refunds', 'You can return any item within thirty days. The money goes back to the card you paid with.', '{"team": "sales"}'),
    ('Delivery', 'Parcels within Europe arrive in three to five working days.', '{}');
INSERT INTO kb_notes.document (title, content, source_key, language)
SELECT 'Animal ' || n, CASE WHEN n % 9 = 0 THEN 'Katzen und Hunde, Nummer ' ELSE 'Cats and dogs and animal number ' END
    || n || repeat(' and more', n % 5), 'key ' || n, CASE WHEN n % 9 = 0 THEN 'de' END
FROM generate_series(1, 2200) n;
DELETE FROM kb_notes.document WHERE title LIKE 'Animal 21%';
GRANT USAGE ON SCHEMA kb_handbook TO move_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA kb_handbook TO move_reader;
SELECT kb_attach_agent('a0000000-0000-0000-0000-00000000000a', 'notes');
