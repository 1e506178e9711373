-- As pgvector.sql. The client reads id as an integer.
CREATE {or_replace} VIEW {view} WITH (security_invoker = true) AS
SELECT c.keyword_number AS id, c.content::varchar AS text,
    (jsonb_strip_nulls(jsonb_build_object('title', d.title, 'source', d.source_key, 'document_id', c.document_id, 'ref_doc_id', c.document_id, 'doc_id', c.document_id)) || c.metadata)::json AS metadata_,
    c.id::varchar AS node_id, e.embedding
FROM {schema}.document d
JOIN {schema}.chunk c ON c.document_id = d.id
JOIN {schema}.embedding e ON e.chunk_id = c.id
