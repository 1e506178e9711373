-- As pgvector.sql.
CREATE {or_replace} VIEW {view} WITH (security_invoker = true) AS
SELECT c.id, c.document_id, d.title, d.source_key, d.source_type, c.heading, c.page, c.ordinal, c.start_char, c.end_char, c.content,
    e.embedding, c.metadata, c.tsv
FROM {schema}.document d
JOIN {schema}.chunk c ON c.document_id = d.id
JOIN {schema}.embedding e ON e.chunk_id = c.id
