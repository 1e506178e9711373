CASE
    WHEN n.oid IS NULL THEN
        -- Its schema is gone: for the role that made it, and superusers, to see and drop.
        EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.oid = $1 AND (r.rolsuper OR r.rolname::text = k.owner))
    ELSE
        pg_catalog.has_schema_privilege($1, n.oid, 'USAGE')
        AND 3 = (
            SELECT pg_catalog.count(*)
            FROM pg_catalog.pg_class c
            WHERE c.relnamespace = n.oid
                AND c.relname IN ('document', 'chunk', 'embedding')
                AND pg_catalog.has_table_privilege($1, c.oid, 'SELECT')
        )
END
