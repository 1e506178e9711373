n.oid IS NOT NULL
    AND pg_catalog.has_schema_privilege($1, n.oid, 'USAGE')
    AND 3 = (
        SELECT pg_catalog.count(*)
        FROM pg_catalog.pg_class c
        WHERE c.relnamespace = n.oid
            AND c.relname IN ('document', 'chunk', 'embedding')
            AND pg_catalog.has_table_privilege($1, c.oid, 'SELECT')
    )
