SELECT coalesce(pg_catalog.json_agg(b ORDER BY b.name), '[]')::pg_catalog.text
FROM (
    SELECT s.knowledge_base AS name, l.description, s.model, s.dimensions, s.documents, s.pending, s.indexed, s.failed, s.chunks,
        s.embedded, s.coverage, s.oldest_pending, s.paused, s.chunks_per_second, s.time_to_go, s.model_change,
        coalesce(pg_catalog.has_table_privilege(d.oid, 'INSERT') AND pg_catalog.has_table_privilege(d.oid, 'UPDATE')
            AND pg_catalog.has_table_privilege(d.oid, 'DELETE'), false) AS may_write
    FROM kb_rag.status s
    JOIN {extension}.kb_list() l ON l.name = s.knowledge_base
    LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = l.schema
    LEFT JOIN pg_catalog.pg_class d ON d.relnamespace = n.oid AND d.relname = 'document'
) b
