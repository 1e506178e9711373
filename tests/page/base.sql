-- Two bases with the documents of corpus.json, some of them hostile; a role that writes one base and reads the other, and one that
-- reads both. A third base, which an attached table feeds, is for a role that makes bases. kb-rag serve logs in as a further role
-- and becomes one of these.
SELECT kb_create('zoo', description => 'Animals, and how they are kept');
SELECT kb_create('notes', description => 'Notes of the keepers');
SELECT kb_add(d->>'base', repeat(d->>'text', coalesce((d->>'repeat')::int, 1)), title => d->>'title', source_key => d->>'source',
    source_type => d->>'type', metadata => d->'metadata')
FROM jsonb_array_elements(:'corpus') d;
SELECT kb_grant('zoo', 'kb_rag_page_writer', 'write'), kb_grant('notes', 'kb_rag_page_writer', 'read'),
    kb_grant('zoo', 'kb_rag_page_reader', 'read'), kb_grant('notes', 'kb_rag_page_reader', 'read');
SELECT kb_provider_grant('web', 'kb_rag_page_writer');
CREATE TABLE goods (id int PRIMARY KEY, name text, about text);
INSERT INTO goods VALUES (1, 'Kettle', 'A kettle with a whistle.');
SELECT kb_create('shop');
SELECT kb_attach('goods', 'shop', content => 'about', title => 'name', wait => true);
SELECT kb_question_add('shop', 'kettle with a whistle', expected_documents => ARRAY(SELECT id FROM kb_shop.document), tags => '{kitchen}'),
    kb_question_add('shop', '<img src=x onerror=window.pwned=1> toaster', expected_documents => ARRAY(SELECT id FROM kb_shop.document)),
    kb_question_add('shop', 'who won the world cup');
SELECT kb_grant('shop', 'kb_rag_page_admin', 'admin'), kb_grant_admin('kb_rag_page_admin');
