-- The schema of a base that the caller may read, whether the caller may write to it, and whether its documents keep which versions
-- made them.
SELECT pg_catalog.quote_ident(b.schema),
    pg_catalog.has_table_privilege(d.oid, 'INSERT') AND pg_catalog.has_table_privilege(d.oid, 'UPDATE')
        AND pg_catalog.has_table_privilege(d.oid, 'DELETE')
        AND pg_catalog.has_table_privilege(s.oid, 'INSERT') AND pg_catalog.has_table_privilege(s.oid, 'UPDATE'),
    pg_catalog.to_regclass('kb_rag.current_version') IS NOT NULL AND 3 = (
        SELECT pg_catalog.count(*) FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = d.oid AND a.attname IN ('reader', 'reader_version', 'chunker_version') AND NOT a.attisdropped
    )
FROM {extension}.kb_list() b
JOIN pg_catalog.pg_namespace n ON n.nspname = b.schema
JOIN pg_catalog.pg_class d ON d.relnamespace = n.oid AND d.relname = 'document'
JOIN pg_catalog.pg_class s ON s.relnamespace = n.oid AND s.relname = 'source'
WHERE b.name = $1
