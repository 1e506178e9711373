-- The schemas of the document tables with the trigger of a base.
SELECT n.nspname::text
FROM pg_catalog.pg_trigger t
JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE t.tgfoid = 'kb_rag.document_inserted()'::regprocedure
    AND t.tgargs = convert_to($1, 'UTF8') || '\x00'::bytea
    AND c.relname = 'document'
