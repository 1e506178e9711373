-- A unique key that ORMs can name in ON CONFLICT.
SET client_min_messages = warning;
SELECT FROM kb_create('orm', model => 'fake/e3', dimensions => 3);

-- Not without being asked for.
CREATE TEMP TABLE plain_upsert AS SELECT $$INSERT INTO kb_orm.document (content, source_key) VALUES ('plain', 'a/1')
    ON CONFLICT (upsert_key) DO UPDATE SET content = excluded.content$$ AS sql;
CREATE TEMP TABLE full_upsert AS SELECT $$INSERT INTO kb_orm.document (content, source_key) VALUES ('full', 'a/1')
    ON CONFLICT (source_id, source_type, source_key) WHERE source_key IS NOT NULL DO UPDATE SET content = excluded.content$$ AS sql;
SELECT state, message FROM plain_upsert, error_of(sql);
SELECT state, message FROM full_upsert, error_of(sql);

-- Documents that are there get it, and one beside those with other keys.
CREATE TABLE note (id int PRIMARY KEY, body text, vec vector(3));
INSERT INTO note VALUES (1, 'A note about ferns.', NULL), (2, 'A note about mosses.', '[1,2,3]');
SELECT kb_attach('note', 'orm', 'body', embedding => 'vec') IS NOT NULL AS attached;
SELECT FROM kb_add('orm', 'The text of a key.', source_key => 'b/1');
SELECT FROM kb_add('orm', 'The text of no key.');
SELECT FROM kb_add('orm', 'Another text of no key.');
SELECT FROM kb_add('orm', 'The same key in another type.', source_key => 'b/1', source_type => 'webpage');
-- The length of the type keeps these two apart.
SELECT FROM kb_add('orm', 'One.', source_key => 'c:d', source_type => 'x');
SELECT FROM kb_add('orm', 'Two.', source_key => 'd', source_type => 'x:c');
SELECT kb_configure('orm', upsert_key => true);
-- Asked again, nothing is done.
SELECT relfilenode AS file FROM pg_class WHERE oid = 'kb_orm.document'::regclass \gset
SELECT kb_configure('orm', upsert_key => true);
SELECT kb_configure('orm', title_weight => 3);
SELECT relfilenode = :file AS is_not_written_again FROM pg_class WHERE oid = 'kb_orm.document'::regclass;
SELECT regexp_replace(upsert_key, '^[0-9a-f-]{36}', 'SOURCE') AS upsert_key, content FROM kb_orm.document ORDER BY content COLLATE "C";

-- Now this key works and the other one does not. Everything of kb_rag that replaces documents goes on.
SELECT state, message FROM plain_upsert, error_of(sql);
SELECT state, message FROM full_upsert, error_of(sql);
INSERT INTO kb_orm.document (content, source_key) VALUES ('first of two', 'a/2'), ('plain again', 'a/1')
    ON CONFLICT (upsert_key) DO UPDATE SET content = excluded.content;
SELECT FROM kb_add('orm', 'The text of a key, replaced.', source_key => 'b/1');
SELECT FROM kb_add_file('orm', convert_to('The text of a file.', 'UTF8'), 'file.txt');
SELECT FROM kb_add_file('orm', convert_to('The text of a file, replaced.', 'UTF8'), 'file.txt');
UPDATE note SET body = 'A note about ferns, replaced.' WHERE id = 1;
UPDATE note SET body = 'A note about mosses, replaced.', vec = '[3,2,1]' WHERE id = 2;
INSERT INTO note VALUES (3, 'A note about lichens.', '[0,1,0]');
SELECT source_key, content, imported FROM kb_orm.document ORDER BY content COLLATE "C";
SELECT content FROM kb_search('replaced', 'orm', mode => 'keyword') ORDER BY content COLLATE "C";
SELECT kb_reconcile('orm') AS repaired;
SELECT state, message FROM error_of($$INSERT INTO kb_orm.document (content, source_key) VALUES ('twice', 'a/1')$$);
SELECT state, message FROM error_of($$INSERT INTO kb_orm.document (content, upsert_key) VALUES ('by hand', 'a/1')$$);

-- As after a dump: the base is adopted with its key.
DELETE FROM kb_rag.knowledge_base WHERE name = 'orm';
SELECT kb_adopt('kb_orm') IS NOT NULL AS adopted;
SELECT FROM kb_add('orm', 'The text of a key, once more.', source_key => 'b/1');
SELECT count(*) FROM kb_orm.document WHERE source_key = 'b/1' AND source_type = 'document';

-- As every setting, it is for administrators.
CREATE ROLE kb_regress_upserter;
SELECT kb_grant('orm', 'kb_regress_upserter', 'write');
SET ROLE kb_regress_upserter;
SELECT state, message FROM error_of($$SELECT kb_configure('orm', upsert_key => false)$$);
RESET ROLE;

-- A view of a user keeps the column, and nothing is half done.
CREATE VIEW keys AS SELECT upsert_key FROM kb_orm.document;
SELECT state, message FROM error_of($$SELECT kb_configure('orm', upsert_key => false, title_weight => 4)$$);
SELECT title_weight FROM kb_list() WHERE name = 'orm';
DROP VIEW keys;

-- Back: the other key works again.
SELECT kb_configure('orm', upsert_key => false);
SELECT state, message FROM error_of($$INSERT INTO kb_orm.document (content, source_key) VALUES ('full', 'a/1')
    ON CONFLICT (source_id, source_type, source_key) WHERE source_key IS NOT NULL DO UPDATE SET content = excluded.content$$);
SELECT state, message FROM error_of($$INSERT INTO kb_orm.document (content, source_key) VALUES ('twice', 'a/1')$$);
UPDATE note SET body = 'A note about ferns, replaced again.' WHERE id = 1;
SELECT indexdef FROM pg_indexes WHERE schemaname = 'kb_orm' AND tablename = 'document' ORDER BY indexname;

-- A column of somebody else.
ALTER TABLE kb_orm.document ADD COLUMN upsert_key text;
SELECT state, message FROM error_of($$SELECT kb_configure('orm', upsert_key => true)$$);
INSERT INTO kb_orm.document (content, source_key) VALUES ('still', 'a/1')
    ON CONFLICT (source_id, source_type, source_key) WHERE source_key IS NOT NULL DO UPDATE SET content = excluded.content;

SELECT kb_drop('orm');
DROP TABLE note;
DROP ROLE kb_regress_upserter;
