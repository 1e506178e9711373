-- kb_create and kb_attach with if_not_exists: nothing changes, and a notice says what is different.
SELECT kb_create('moved', 'Support', model => 'fake/a', dimensions => 8, embed => 'off', if_not_exists => true) AS moved \gset
SELECT kb_create('moved', 'Support', model => 'fake/a', dimensions => 8, embed => 'off', if_not_exists => true) = :'moved' AS same;
SELECT kb_create('moved', 'Other', model => 'fake/b', dimensions => 8, chunk_size => 500, match_threshold => 0.5, if_not_exists => true) = :'moved' AS same;
SELECT model, chunk_size, embed, description FROM kb_list();
SELECT * FROM error_of($$SELECT kb_create('moved')$$);
SELECT * FROM error_of($$SELECT kb_create('moved', chunk_size => -1, if_not_exists => true)$$);
SELECT kb_create('other', model => 'fake/a', dimensions => 8) IS NOT NULL AS created;
SELECT * FROM error_of($$SELECT kb_rename('other', 'moved')$$);

-- A list is no name.
SELECT * FROM error_of($$SELECT * FROM kb_search('x', 'moved, other')$$);
SELECT * FROM error_of($$SELECT * FROM kb_search('x', 'moved,nope')$$);

CREATE TABLE item (id int PRIMARY KEY, headline text, body text, lang text);
INSERT INTO item VALUES (1, 'One', 'The first text.', 'en');
SELECT kb_attach('item', 'moved', 'body', title => 'headline', language => '{lang}', if_not_exists => true) AS source \gset
SELECT kb_attach('item', 'moved', 'body', title => 'headline', language => '{lang}', if_not_exists => true) = :'source' AS same;
SELECT kb_attach('item', 'moved', 'headline', metadata => '{lang}', mime_type => 'text/html', url => 'https://h/{id}', row_security => 'ignore',
    source_type => 'row', more_content => '{body}', if_not_exists => true) = :'source' AS same;
ALTER TABLE item RENAME COLUMN headline TO title;
SELECT kb_attach('item', 'moved', 'body', title => 'title', language => '{lang}', if_not_exists => true) = :'source' AS same;
SELECT kb_attach('item', 'moved', 'body', url => 'https://h/{id}') = :'source' AS same;
ALTER TABLE item RENAME COLUMN id TO number;
SELECT kb_attach('item', 'moved', 'body', url => 'https://h/{number}', if_not_exists => true) = :'source' AS same;
ALTER TABLE item RENAME COLUMN number TO id;
SELECT kb_attach('item', 'moved', 'body', title => 'title', language => '{lang}') = :'source' AS same;
SELECT uses, names FROM kb_rag.attached_table;
SELECT kb_detach('item', 'moved');
SELECT kb_attach('item', 'moved', 'body', title => 'title', if_not_exists => true) = :'source' AS same;
SELECT title, language FROM kb_moved.document;

-- Rows that are still to be read are read, if the call waits. A table that cannot be followed is attached.
SET kb_rag.workers = 0;
CREATE TABLE many (id int PRIMARY KEY, body text, other text);
INSERT INTO many SELECT n, 'Text ' || n, 'Other ' || n FROM generate_series(1, 120) n;
SELECT kb_attach('many', 'other', 'body') IS NOT NULL AS attached;
SELECT count(*) FROM kb_other.document;
SELECT kb_attach('many', 'other', 'body', wait => true, if_not_exists => true) IS NOT NULL AS same;
SELECT count(*) FROM kb_other.document;
ALTER TABLE many DISABLE TRIGGER USER;
-- The detail would name the triggers.
\set VERBOSITY terse
SELECT kb_attach('many', 'other', 'body', if_not_exists => true) IS NOT NULL AS same;
\set VERBOSITY default
ALTER TABLE many ENABLE TRIGGER USER;
ALTER TABLE many DROP COLUMN body;
SELECT kb_attach('many', 'other', 'other', wait => true, if_not_exists => true) IS NOT NULL AS attached;
SELECT count(*), min(content) FROM kb_other.document;

-- Only administrators.
CREATE ROLE kb_test163;
SELECT kb_grant_admin('kb_test163');
SELECT kb_grant('moved', 'kb_test163', 'read');
SET ROLE kb_test163;
SELECT * FROM error_of($$SELECT kb_create('moved')$$);
SELECT * FROM error_of($$SELECT kb_create('moved', if_not_exists => true)$$);
RESET ROLE;
SELECT kb_grant('moved', 'kb_test163', 'admin');
SET ROLE kb_test163;
SELECT kb_create('moved', 'Support', model => 'fake/a', dimensions => 8, embed => 'off', if_not_exists => true) = :'moved' AS same;
RESET ROLE;
SELECT kb_drop('moved');
DROP OWNED BY kb_test163;
DROP ROLE kb_test163;
