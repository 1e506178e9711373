-- A base that the caller may read: its schema, its model, whether kb_rag can measure it, and whether the caller may read its questions.
SELECT pg_catalog.quote_ident(b.schema), b.model,
    pg_catalog.to_regproc('{extension}.kb_evaluate_questions') IS NOT NULL,
    EXISTS (
        SELECT FROM pg_catalog.pg_class c
        JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = b.schema AND c.relname = 'question' AND c.relkind = 'r'
            AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
            AND 10 = (
                SELECT pg_catalog.count(*) FROM pg_catalog.pg_attribute a
                WHERE a.attrelid = c.oid AND NOT a.attisdropped AND a.attname IN (
                    'id', 'question', 'expected_keys', 'expected_documents', 'expected_texts', 'filter', 'agent_id', 'tags',
                    'weight', 'is_draft'
                )
            )
    )
FROM {extension}.kb_list() b
WHERE b.name = $1
