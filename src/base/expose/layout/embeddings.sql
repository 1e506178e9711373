-- As pgvector.sql. A document without a key is known by its agent, which kb_add_output writes, or by its id.
CREATE {or_replace} VIEW {view} WITH (security_invoker = true) AS
SELECT c.id, d.source_type,
    coalesce(d.source_key, CASE d.source_type WHEN 'agent_output' THEN coalesce(d.metadata->>'agent', d.metadata->>'agent_id') END, d.id::text) AS source_id,
    c.content, d.abstract, d.overview, e.embedding, c.tsv AS content_tsv, {model}::text AS model,
    jsonb_strip_nulls(jsonb_build_object('filePath', d.source_key, 'chunkIndex', c.ordinal, 'language', d.language)) || c.metadata AS metadata,
    d.created_at::timestamp AS created_at
FROM {schema}.document d
JOIN {schema}.chunk c ON c.document_id = d.id
JOIN {schema}.embedding e ON e.chunk_id = c.id
