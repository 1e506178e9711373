-- kb_attach: only rows that meet a condition have documents.
SET client_min_messages = warning;
SELECT kb_create('support', model => 'fake/a', dimensions => 8, embed => 'off') IS NOT NULL AS created;
CREATE TYPE state AS ENUM ('draft', 'live');
CREATE TABLE article (id int PRIMARY KEY, body text, published boolean, deleted boolean NOT NULL DEFAULT false, state state DEFAULT 'live', day date, extra jsonb, tags text[]);
INSERT INTO article (id, body, published, deleted, day) VALUES (1, 'One', true, false, '2024-05-01'), (2, 'Two', false, false, '2024-06-01'),
    (3, 'Three', NULL, false, NULL), (4, 'Four', true, true, '2023-01-01'), (5, '', true, false, NULL);
SELECT kb_attach('article', 'support', 'body', condition => 'published AND NOT deleted') AS source \gset
CREATE VIEW keys AS SELECT string_agg(source_key, ',' ORDER BY source_key) AS keys FROM kb_support.document;
SELECT * FROM keys;
SELECT options -> 'condition' AS condition FROM kb_support.source;
SELECT kb_reconcile('support');

-- Writes of its columns are followed, and of no other.
UPDATE article SET published = true WHERE id = 2;
UPDATE article SET deleted = true WHERE id = 1;
UPDATE article SET published = NULL WHERE id = 4;
INSERT INTO article VALUES (6, 'Six', true), (7, 'Seven', false);
SELECT * FROM keys;
CREATE TEMP TABLE before AS SELECT source_key, xmin::text AS version FROM kb_support.document;
UPDATE article SET day = '2020-01-01';
SELECT count(*) FROM kb_support.document d JOIN before b ON b.source_key = d.source_key AND b.version = d.xmin::text;
DELETE FROM article WHERE id = 6;
UPDATE article SET id = 20 WHERE id = 2;
UPDATE article SET id = 70, published = true WHERE id = 7;
UPDATE article SET id = 71, published = false WHERE id = 70;
SELECT * FROM keys;
SELECT kb_reconcile('support');

-- Rows that triggers missed.
ALTER TABLE article DISABLE TRIGGER USER;
UPDATE article SET published = false WHERE id = 20;
UPDATE article SET published = true, deleted = false WHERE id IN (3, 4);
ALTER TABLE article ENABLE TRIGGER USER;
SELECT kb_reconcile('support');
SELECT * FROM keys;

-- A column is known by number; a name in a string is not one.
SELECT kb_attach('article', 'support', 'body', condition => $$published AND NOT article.deleted AND coalesce(body, '') <> 'published' AND body <> E'it''s \\ "deleted" -- $1'$$) = :'source' AS same;
SELECT options -> 'condition' AS condition FROM kb_support.source;
ALTER TABLE article RENAME COLUMN published TO "is public";
ALTER TABLE article RENAME COLUMN deleted TO published;
UPDATE article SET published = true WHERE id = 3;
UPDATE article SET "is public" = true WHERE id = 20;
SELECT * FROM keys;
SELECT kb_reconcile('support');
SET client_min_messages = notice;
SELECT kb_attach('article', 'support', 'body', if_not_exists => true, condition => $$"is public" AND NOT published AND coalesce(body, '') <> 'published' AND body <> E'it''s \\ "deleted" -- $1'$$) = :'source' AS same;
SELECT kb_attach('article', 'support', 'body', if_not_exists => true, condition => 'published') = :'source' AS same;
SELECT kb_attach('article', 'support', 'body', if_not_exists => true) = :'source' AS same;
ALTER TABLE article RENAME COLUMN published TO deleted;
ALTER TABLE article RENAME COLUMN "is public" TO published;

-- Another condition, other types, and none.
SELECT kb_attach('article', 'support', 'body', condition => $$state = 'live' AND day >= '2020-01-01' AND (extra ->> 'team') IS NOT DISTINCT FROM 'a'$$) = :'source' AS same;
SELECT options -> 'condition' AS condition FROM kb_support.source;
UPDATE article SET extra = '{"team": "a"}' WHERE id IN (1, 71);
UPDATE article SET state = 'draft' WHERE id = 71;
SELECT * FROM keys;
SELECT kb_attach('article', 'support', 'body') = :'source' AS same;
SELECT * FROM keys;
SELECT kb_attach('article', 'support', 'body', condition => 'true') = :'source' AS same;
SELECT kb_attach('article', 'support', 'body', condition => 'NULL') = :'source' AS same;
SELECT * FROM keys;

-- A row for which the condition fails has no document.
UPDATE article SET extra = '{"year": 2025}';
UPDATE article SET extra = '{"year": "next"}' WHERE id = 4;
SELECT kb_attach('article', 'support', 'body', condition => $$(extra ->> 'year')::int > 2024$$) = :'source' AS same;
SELECT * FROM keys;
UPDATE article SET extra = '{"year": 0}' WHERE id = 1;
UPDATE article SET extra = '{"year": "soon"}' WHERE id = 3;
UPDATE article SET body = 'Tres' WHERE id = 3;
SELECT * FROM keys;
UPDATE article SET extra = '{"year": 2025}' WHERE id IN (1, 3, 4);
SELECT * FROM keys;
SELECT kb_reconcile('support');
INSERT INTO article (id, body, extra) SELECT n, 'x', '{"year": "x"}' FROM generate_series(100, 130) n;
DELETE FROM article WHERE id >= 100;

-- A function of one's own, found in the search_path of the call.
CREATE SCHEMA mine;
CREATE FUNCTION mine.is_short(t text) RETURNS boolean LANGUAGE sql IMMUTABLE RETURN length(t) < 4;
SET search_path = mine, public;
SELECT kb_attach('article', 'support', 'body', condition => 'is_short(body)') = :'source' AS same;
RESET search_path;
SELECT options -> 'condition' AS condition FROM kb_support.source;
UPDATE article SET body = 'Uno' WHERE id = 1;
SELECT * FROM keys;

-- A column whose type changes, and one that is dropped.
SELECT kb_attach('article', 'support', 'body', condition => 'published AND day IS NULL OR true') = :'source' AS same;
ALTER TABLE article ALTER published TYPE text;
UPDATE article SET body = 'Eins' WHERE id = 1;
SELECT content FROM kb_support.document WHERE source_key = '1';
SELECT status, error_message FROM kb_rag.source_status;
ALTER TABLE article ALTER published TYPE boolean USING published::boolean;
UPDATE article SET body = 'Ein' WHERE id = 1;
SELECT content FROM kb_support.document WHERE source_key = '1';
ALTER TABLE article DROP COLUMN day;
UPDATE article SET body = 'Un' WHERE id = 1;
SELECT content FROM kb_support.document WHERE source_key = '1';

-- Adopted with its condition.
SELECT kb_attach('article', 'support', 'body', condition => 'published') = :'source' AS same;
ALTER TABLE article RENAME COLUMN published TO public;
UPDATE article SET public = true WHERE id = 1;
SET client_min_messages = warning;
DROP EXTENSION kb_rag CASCADE;
SET client_min_messages = error; -- pgvector may be old
CREATE EXTENSION kb_rag;
SET client_min_messages = warning;
SELECT kb_adopt('kb_support') IS NOT NULL AS adopted;
UPDATE article SET public = NOT coalesce(public, false);
SELECT * FROM keys;
SELECT kb_reconcile('support');

-- Partitions, files and further text.
CREATE TABLE parted (id int PRIMARY KEY, data bytea, note text, open boolean) PARTITION BY RANGE (id);
CREATE TABLE part (open boolean, note text, data bytea, id int NOT NULL);
ALTER TABLE parted ATTACH PARTITION part FOR VALUES FROM (0) TO (10);
SELECT kb_attach('parted', 'support', 'data', source_type => 'file', mime_type => 'text/html', more_content => '{note}', condition => 'open') IS NOT NULL AS attached;
INSERT INTO part VALUES (true, 'A note.', '<p>One</p>', 1), (false, 'A note.', '<p>Two</p>', 2), (true, NULL, '', 3), (true, 'Alone.', NULL, 4), (NULL, 'Alone.', NULL, 5);
SELECT source_key, content FROM kb_support.document WHERE source_type = 'file' ORDER BY 1;
UPDATE parted SET open = NOT open;
SELECT source_key, content FROM kb_support.document WHERE source_type = 'file' ORDER BY 1;
SELECT kb_reconcile('support');
SELECT kb_detach('parted', 'support', delete_documents => true);

-- The session of a writer changes nothing: names of types, strings with backslashes, arrays, collations.
CREATE TABLE other (id int PRIMARY KEY, body text, t text, c text COLLATE "C", a text[]);
INSERT INTO other VALUES (1, 'One', 'x', 'É', ARRAY[NULL, 'a']), (3, 'Three', 'a\b', 'é', '{}');
SELECT kb_attach('other', 'support', 'body', source_type => 'other', condition => $$lower(c) = 'é' AND t = 'a\b' AND a IS DISTINCT FROM '{NULL,a}'::text[]$$) IS NOT NULL AS attached;
\c -
SET client_min_messages = warning;
SET quote_all_identifiers = on;
SET standard_conforming_strings = off;
SET escape_string_warning = off;
SET array_nulls = off;
INSERT INTO other VALUES (4, 'Four', E'a\\b', 'é', ARRAY['a']), (5, 'Five', E'a\\b', 'É', ARRAY['a']), (6, 'Six', E'a\\b', 'é', ARRAY[NULL, 'a']);
SELECT string_agg(source_key, ',' ORDER BY source_key) AS keys FROM kb_support.document WHERE source_type = 'other';
SELECT kb_attach('other', 'support', 'body', source_type => 'other', condition => 't = E''a\\\\b''') IS NOT NULL AS attached;
\c -
SET client_min_messages = warning;
INSERT INTO other VALUES (7, 'Seven', 'a\b');
SELECT options ->> 'condition' AS condition FROM kb_support.source WHERE location = 'public.other';
SELECT string_agg(source_key, ',' ORDER BY source_key) AS keys FROM kb_support.document WHERE source_type = 'other';
SELECT kb_reconcile('support');

-- A condition that reads the table again ends, and so does a canceled one.
CREATE FUNCTION again(t text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM public.kb_reconcile('support'); RETURN true; END $$;
CREATE FUNCTION sleeps(t text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM pg_sleep(60); RETURN true; END $$;
SELECT kb_attach('other', 'support', 'body', source_type => 'other', condition => 'id < 9 OR id > 9 AND again(body)') IS NOT NULL AS attached;
SET statement_timeout = '10s';
INSERT INTO other VALUES (10, 'Ten');
SELECT kb_attach('other', 'support', 'body', source_type => 'other', condition => 'id < 9 OR id = 11 AND sleeps(body)') IS NOT NULL AS attached;
SET statement_timeout = '100ms';
INSERT INTO other VALUES (11, 'Eleven');
RESET statement_timeout;
SELECT kb_attach('other', 'support', 'body', source_type => 'other', condition => 'id IN (' || repeat('1,', 4900) || '1)');
SELECT kb_detach('other', 'support', delete_documents => true);

-- Mistakes. Text is never pasted: it is one expression.
SELECT kb_attach('article', 'support', 'body', condition => 'true) OR (true');
SELECT kb_attach('article', 'support', 'body', condition => 'true; DROP TABLE article');
SELECT kb_attach('article', 'support', 'body', condition => 'true -- and more') IS NOT NULL AS attached;
SELECT kb_attach('article', 'support', 'body', condition => 'true /* and more');
SELECT kb_attach('article', 'support', 'body', condition => 'public, true');
SELECT kb_attach('article', 'support', 'body', condition => 'public AS x');
SELECT kb_attach('article', 'support', 'body', condition => 'true FROM article');
SELECT kb_attach('article', 'support', 'body', condition => 'true WHERE true');
SELECT kb_attach('article', 'support', 'body', condition => 'true UNION SELECT true');
SELECT kb_attach('article', 'support', 'body', condition => 'true ORDER BY 1');
SELECT kb_attach('article', 'support', 'body', condition => 'DISTINCT true');
SELECT kb_attach('article', 'support', 'body', condition => '');
SELECT kb_attach('article', 'support', 'body', condition => ' ');
SELECT kb_attach('article', 'support', 'body', condition => '*');
SELECT kb_attach('article', 'support', 'body', condition => 'body');
SELECT kb_attach('article', 'support', 'body', condition => 'nothing');
SELECT kb_attach('article', 'support', 'body', condition => 'other.public');
SELECT kb_attach('article', 'support', 'body', condition => '(SELECT true)');
SELECT kb_attach('article', 'support', 'body', condition => 'EXISTS (SELECT FROM pg_class)');
SELECT kb_attach('article', 'support', 'body', condition => 'count(*) > 1');
SELECT kb_attach('article', 'support', 'body', condition => 'row_number() OVER () > 1');
SELECT kb_attach('article', 'support', 'body', condition => 'generate_series(1, 2) > 1');
SELECT kb_attach('article', 'support', 'body', condition => 'body = $1');
SELECT kb_attach('article', 'support', 'body', condition => 'ctid IS NOT NULL');
SELECT kb_attach('article', 'support', 'body', condition => 'article IS NOT NULL');
SELECT kb_attach('article', 'support', 'body', condition => 'now() > ''2020-01-01''');
SELECT kb_attach('article', 'support', 'body', condition => 'body::date > ''2020-01-01''');
SELECT kb_attach('article', 'support', 'body', condition => 'pg_sleep(1) IS NULL');
SELECT kb_attach('article', 'support', 'body', condition => 'no_function(body)');
SELECT kb_attach('article', 'support', 'body', condition => 'id = ''x''');
SELECT kb_attach('article', 'support', 'body', condition => '1 / 0 = 1');
SELECT kb_attach('article', 'support', 'body', condition => repeat('x', 10001));
SELECT * FROM keys;
DROP VIEW keys;
SELECT kb_drop('support');

-- The owner of a base may write what kb_adopt reads: it must not run code as the owner of a table.
CREATE ROLE condition_base_owner;
CREATE ROLE condition_table_owner;
SELECT kb_grant_admin('condition_base_owner');
GRANT USAGE, CREATE ON SCHEMA public TO condition_base_owner, condition_table_owner;
GRANT CREATE ON DATABASE :"DBNAME" TO condition_base_owner;
SET ROLE condition_base_owner;
SELECT kb_create('theirs', model => 'fake/a', dimensions => 8, embed => 'off') IS NOT NULL AS created;
CREATE FUNCTION public.planted(t text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE WARNING 'ran as %', current_user; RETURN true; END $$;
SET ROLE condition_table_owner;
CREATE TABLE public.secret (id int PRIMARY KEY, body text, open boolean);
GRANT SELECT ON public.secret TO condition_base_owner;
INSERT INTO public.secret VALUES (1, 'One', true), (2, 'Two', false);
RESET ROLE;
SELECT kb_attach('public.secret', 'theirs', 'body', condition => 'open') IS NOT NULL AS attached;
SET ROLE condition_base_owner;
UPDATE kb_theirs.setting SET value = replace(value::text, '"condition": "open"', '"condition": "public.planted(body)"')::jsonb WHERE name = 'attached_tables';
SELECT value::text LIKE '%planted%' AS is_planted FROM kb_theirs.setting WHERE name = 'attached_tables';
RESET ROLE;
DROP EXTENSION kb_rag CASCADE;
SET client_min_messages = error; -- pgvector may be old
CREATE EXTENSION kb_rag;
SET client_min_messages = warning;
SELECT kb_adopt('kb_theirs') IS NOT NULL AS adopted;
INSERT INTO public.secret VALUES (3, 'Three', true);
SELECT string_agg(source_key, ',') FROM kb_theirs.document;
SELECT kb_attach('public.secret', 'theirs', 'body', condition => 'open') IS NOT NULL AS attached;
SELECT string_agg(source_key, ',' ORDER BY source_key) FROM kb_theirs.document;
-- With the privileges of the owner of the table it is attached again.
GRANT condition_table_owner TO condition_base_owner;
DROP EXTENSION kb_rag CASCADE;
SET client_min_messages = error; -- pgvector may be old
CREATE EXTENSION kb_rag;
SET client_min_messages = warning;
SELECT kb_adopt('kb_theirs') IS NOT NULL AS adopted;
INSERT INTO public.secret VALUES (4, 'Four', true);
SELECT string_agg(source_key, ',' ORDER BY source_key) FROM kb_theirs.document;
SELECT kb_drop('theirs');
DROP TABLE public.secret;
DROP OWNED BY condition_base_owner, condition_table_owner;
DROP ROLE condition_base_owner, condition_table_owner;
