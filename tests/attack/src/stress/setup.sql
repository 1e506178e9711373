-- The bases and tables of the stress, all owned by attack_owner. {url} is the provider's.
GRANT CREATE ON DATABASE stress TO attack_owner;
GRANT CREATE ON SCHEMA public TO attack_owner;
-- Some statements embed everything they write, and others leave a part to the workers.
ALTER DATABASE stress SET kb_rag.inline_chunks = 5;
SELECT kb_grant_admin('attack_owner');
SELECT kb_provider_set('mock', kind => 'openai', base_url => '{url}', timeout => '10 s', batch_items => 10);
SELECT kb_provider_grant('mock', 'attack_owner');

SET SESSION AUTHORIZATION attack_owner;
SELECT kb_create('inline', model => 'fake/x', dimensions => 8, chunk_size => 60, chunk_overlap => 10, chunk_strategy => 'text', embed => 'inline'),
    kb_create('queued', model => 'fake/x', dimensions => 8, chunk_size => 60, chunk_overlap => 10, chunk_strategy => 'text', embed => 'queued'),
    kb_create('local', chunk_size => 200, chunk_overlap => 20, chunk_strategy => 'text'),
    kb_create('remote', model => 'mock/small', dimensions => 8, chunk_size => 60, chunk_overlap => 10, chunk_strategy => 'text'),
    kb_create('taken', model => 'fake/x', dimensions => 8);
CREATE TABLE plain (id int PRIMARY KEY, head text, body text, m text);
CREATE TABLE parted (id int PRIMARY KEY, body text) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (50);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (50) TO (1000);
CREATE TABLE imported (k text, body text, vec vector(8));
INSERT INTO imported SELECT 'imported ' || i / 2, 'imported body number ' || i, '[1,0,0,0,0,0,0,1]' FROM generate_series(1, 12) i;
SELECT kb_attach('plain', 'inline', 'body', 'head', '{m}'), kb_attach('plain', 'queued', 'body'), kb_attach('parted', 'queued', 'body'),
    kb_attach('parted', 'remote', 'body');
RESET SESSION AUTHORIZATION;
