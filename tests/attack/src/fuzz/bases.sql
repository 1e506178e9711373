-- One paragraph for each base of the fuzzer, run by the owner; the first word after the dashes is the base's
-- name.

-- inline: with the fake model
SELECT kb_create('inline', model => 'fake/x', dimensions => 8);
INSERT INTO kb_inline.document (title, content, metadata)
    SELECT 't' || i, 'text number ' || i || ' about cats and dogs. ' || repeat('the cat sat on the mat. ', i % 50), jsonb_build_object('n', i)
    FROM generate_series(1, 100) i;
SELECT kb_attach('public.plain', 'inline', 'body');
SELECT kb_grant('inline', 'attack_writer', 'write'), kb_grant('inline', 'attack_reader', 'read');

-- queued: embedded by workers
SELECT kb_create('queued', model => 'fake/x', dimensions => 8, embed => 'queued', chunk_size => 50, chunk_overlap => 10);
INSERT INTO kb_queued.document (title, content) SELECT 't' || i, 'text number ' || i || ' about cats and dogs. ' FROM generate_series(1, 30) i;
SELECT kb_grant('queued', 'attack_writer', 'write'), kb_grant('queued', 'attack_reader', 'read');

-- local: with the local model
SELECT kb_create('local');
INSERT INTO kb_local.document (title, content) SELECT 't' || i, 'text number ' || i || ' about cats and dogs.' FROM generate_series(1, 10) i;
SELECT kb_grant('local', 'public', 'read');

-- words: without vectors
SELECT kb_create('words', embed => 'off', text_config => 'german', ranker => 'ts_rank');
INSERT INTO kb_words.document (title, content) SELECT 't' || i, 'Text Nummer ' || i || ' von Katzen und Hunden.' FROM generate_series(1, 30) i;

-- remote: with a provider's model
SELECT kb_create('remote', model => 'mock/small', dimensions => 8);
INSERT INTO kb_remote.document (title, content) SELECT 't' || i, 'text number ' || i || ' about cats and dogs.' FROM generate_series(1, 10) i;
SELECT kb_grant('remote', 'attack_writer', 'write');
