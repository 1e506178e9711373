13 = (
        SELECT pg_catalog.count(*)
        FROM (VALUES
            ('document', 'id', 'uuid'), ('document', 'title', 'text'), ('document', 'content', 'text'),
            ('document', 'source_key', 'text'), ('document', 'status', 'text'),
            ('chunk', 'id', 'uuid'), ('chunk', 'document_id', 'uuid'), ('chunk', 'content', 'text'),
            ('chunk', 'source_type', 'text'), ('chunk', 'metadata', 'jsonb'), ('chunk', 'tsv', 'tsvector'),
            ('embedding', 'chunk_id', 'uuid'), ('embedding', 'embedding', NULL)
        ) AS w (relname, attname, typname)
        JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = w.relname AND c.relkind = 'r'
        JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attname = w.attname AND NOT a.attisdropped
        JOIN pg_catalog.pg_type t ON t.oid = a.atttypid AND CASE
            WHEN w.typname IS NULL THEN t.typname IN ('vector', 'halfvec')
            ELSE t.typname = w.typname AND t.typnamespace = 'pg_catalog'::regnamespace
        END
    )
