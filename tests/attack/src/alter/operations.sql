-- The operations after each alteration, one statement per line. {S}, {B} and {A} are as in owner.sql; {word} is a word unique to this database.
INSERT INTO {S}.document (content, title, source_key) VALUES ('fresh text of {word} number nine', 't', 'k9')
UPDATE {S}.document SET content = content || ' more'
UPDATE {S}.document SET title = 'x', metadata = '{"a": 2}'
DELETE FROM {S}.document WHERE ctid IN (SELECT ctid FROM {S}.document LIMIT 1)
SELECT kb_add('{B}', 'added text of {word}', source_key => 'kk')
SELECT kb_add('{B}', 'added text two of {word}', source_key => 'kk')
INSERT INTO {A} VALUES (7, 'attached seven of {word}')
UPDATE {A} SET body = body || 'x'
DELETE FROM {A} WHERE id = 2
SELECT count(r::text) FROM kb_search('number text', '{B}') r
SELECT count(r::text) FROM kb_search('number', '{B}', 'semantic') r
SELECT count(r::text) FROM kb_rag.logged_search('number text', '{B}') r
SELECT count(r::text) FROM kb_search('number', '{B}', 'keyword') r
SELECT count(r::text) FROM kb_search('"text number" -nothing', '{B}', 'keyword', syntax => 'web') r
SELECT count(r::text) FROM kb_hybrid_search('number text', '{B}', fusion => 'relative', max_per_document => 1, filter => '{"a": 1}') r
SELECT count(r::text) FROM kb_search('number', '{B}', ranker => 'ts_rank') r
SELECT count(r::text) FROM kb_search('number') r
SELECT count(r::text) FROM match_knowledge_chunks((SELECT id FROM kb_list() WHERE name = '{B}'), '[1,0,0,0,0,0,0,0]') r
SELECT count(r::text) FROM kb_list() r
SELECT count(r::text) FROM kb_rag.status r
SELECT count(r::text) FROM kb_rag.failed r
SELECT count(r::text) FROM kb_rag.source_status r
SELECT count(r::text) FROM kb_estimate('{B}') r
SELECT kb_reconcile('{B}')
SELECT kb_reconcile('{B}', outdated => true)
CALL kb_work(0.1)
SELECT kb_reindex('{B}')
SELECT kb_warm_query('number', '{B}')
SELECT kb_expose('{B}')
SELECT count(v::text) FROM {S}.collection v
SELECT kb_configure('{B}', chunk_size => 37, chunk_overlap => 3)
SELECT kb_configure('{B}', title_weight => 3)
SELECT kb_configure('{B}', dimensions => 7)
SELECT kb_configure('{B}', embed => 'queued')
SELECT kb_configure('{B}', model => 'fake/new', dimensions => 6)
INSERT INTO {S}.document (content) VALUES ('later text of {word}')
CALL kb_work(0.1)
SELECT kb_expose('{B}')
SELECT kb_retry('{B}')
SELECT kb_grant('{B}', 'attack_writer', 'admin')
SELECT kb_revoke('{B}', 'attack_writer', 'admin')
SELECT kb_import('{B}', 'public.imported', '{"content": "c", "embedding": "e"}')
SELECT kb_attach('{A}', '{B}', 'body')
SELECT kb_detach('{A}', '{B}', true)
SELECT kb_adopt('{S}')
TRUNCATE {S}.document CASCADE
