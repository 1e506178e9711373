-- The schema of a base whose questions and kept runs the role may read. If it may not, or there are none, kb_rag says why.
SELECT CASE
    WHEN EXISTS (
        SELECT
        FROM pg_catalog.pg_namespace n
        JOIN pg_catalog.pg_class d ON d.relnamespace = n.oid AND d.relname = 'document'
        JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname IN ('question', 'evaluation') AND c.relkind = 'r'
            AND c.relowner = d.relowner
        WHERE n.nspname = l.schema AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
        HAVING pg_catalog.count(*) = 2
    ) THEN pg_catalog.quote_ident(l.schema)
    ELSE (SELECT pg_catalog.count(*)::pg_catalog.text FROM {extension}.kb_evaluate_questions($1, question_ids => '{}'))
    END
FROM {extension}.kb_list() l
WHERE l.name = $1
