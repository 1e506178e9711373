-- The role, and what it may do: to create bases, and to each base that it may read.
SELECT pg_catalog.json_build_object(
    'role', current_user,
    'version', (SELECT e.extversion FROM pg_catalog.pg_extension e WHERE e.extname = 'kb_rag'),
    'max_upload_bytes', $1, 'root', $2,
    'may_create', $3 AND EXISTS (
        SELECT
        FROM pg_catalog.pg_extension e
        JOIN pg_catalog.pg_proc p ON p.pronamespace = e.extnamespace
        WHERE e.extname = 'kb_rag' AND p.proname = 'kb_create' AND pg_catalog.has_function_privilege(p.oid, 'EXECUTE')
    ),
    'bases', (SELECT coalesce(pg_catalog.json_agg(b ORDER BY b.name), '[]') FROM (
        SELECT l.name,
            coalesce(pg_catalog.has_table_privilege(d.oid, 'INSERT') AND pg_catalog.has_table_privilege(d.oid, 'UPDATE')
                AND pg_catalog.has_table_privilege(d.oid, 'DELETE'), false) AS may_write,
            $3 AND coalesce(pg_catalog.pg_has_role(d.relowner, 'USAGE')
                OR pg_catalog.has_schema_privilege(n.oid, 'CREATE'), false) AS may_administer,
            $3 AND coalesce(pg_catalog.pg_has_role(d.relowner, 'USAGE'), false) AS may_drop,
            -- kb_rag 0.3 cannot. Nothing that others see changes, so no token is needed.
            coalesce(pg_catalog.pg_has_role(d.relowner, 'USAGE') OR pg_catalog.has_schema_privilege(n.oid, 'CREATE'), false) AND EXISTS (
                SELECT
                FROM pg_catalog.pg_extension e
                JOIN pg_catalog.pg_proc p ON p.pronamespace = e.extnamespace
                WHERE e.extname = 'kb_rag' AND p.proname = 'kb_evaluate'
            ) AS may_evaluate
        FROM {extension}.kb_list() l
        LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = l.schema
        LEFT JOIN pg_catalog.pg_class d ON d.relnamespace = n.oid AND d.relname = 'document'
    ) b))::pg_catalog.text
