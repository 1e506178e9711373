-- {view} is the qualified name. Joined to `document`, so that its row security holds. No security barrier: ORDER BY … <=> … LIMIT must
-- reach the index. The text comes last, so that no key replaces it; the keys that come first yield to those of the document. PostgreSQL
-- locks the tables in the order of FROM: that of TRUNCATE … CASCADE.
CREATE {or_replace} VIEW {view} WITH (security_invoker = true) AS
SELECT c.id, e.embedding AS vec,
    jsonb_build_object('chunk_index', coalesce(c.metadata->'chunkIndex', to_jsonb(c.ordinal)), 'document_id', c.document_id)
        || c.metadata || jsonb_build_object({content_key}, c.content) AS metadata
FROM {schema}.document d
JOIN {schema}.chunk c ON c.document_id = d.id
JOIN {schema}.embedding e ON e.chunk_id = c.id
