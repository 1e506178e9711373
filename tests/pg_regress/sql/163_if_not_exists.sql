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
SELECT uses, names FROM kb_rag.attached_table;
SELECT kb_detach('item', 'moved');
SELECT kb_attach('item', 'moved', 'body', title => 'title', if_not_exists => true) = :'source' AS same;
SELECT title, language FROM kb_moved.document;

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
