-- As pgvector.sql. An agent is a uuid in the metadata; other values are of no agent.
CREATE {or_replace} VIEW {view} WITH (security_invoker = true) AS
SELECT c.id,
    CASE WHEN c.metadata->>'agent_id' ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN (c.metadata->>'agent_id')::uuid END AS agent_id,
    coalesce(d.source_id, d.id) AS knowledge_id, c.content, e.embedding,
    jsonb_build_object('chunk_index', coalesce(c.metadata->'chunkIndex', to_jsonb(c.ordinal)))
        || jsonb_strip_nulls(jsonb_build_object('source_url', d.source_key, 'title', d.title)) || c.metadata AS metadata,
    d.created_at
FROM {schema}.document d
JOIN {schema}.chunk c ON c.document_id = d.id
JOIN {schema}.embedding e ON e.chunk_id = c.id
