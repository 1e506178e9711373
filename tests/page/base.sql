-- Two bases with the documents of corpus.json, some of them hostile; a role that writes one base and reads the other, and one that
-- reads both. kb-rag serve logs in as a third role and becomes one of these.
SELECT kb_create('zoo', description => 'Animals, and how they are kept');
SELECT kb_create('notes', description => 'Notes of the keepers');
SELECT kb_add(d->>'base', repeat(d->>'text', coalesce((d->>'repeat')::int, 1)), title => d->>'title', source_key => d->>'source',
    source_type => d->>'type', metadata => d->'metadata')
FROM jsonb_array_elements(:'corpus') d;
SELECT kb_grant('zoo', 'kb_rag_page_writer', 'write'), kb_grant('notes', 'kb_rag_page_writer', 'read'),
    kb_grant('zoo', 'kb_rag_page_reader', 'read'), kb_grant('notes', 'kb_rag_page_reader', 'read');
SELECT kb_provider_grant('web', 'kb_rag_page_writer');
