-- Applications that call match_knowledge_chunks read chunk_index.
SELECT id, coalesce(content, '') AS content,
    CASE WHEN jsonb_typeof(metadata) = 'object' AND metadata ? 'chunkIndex'
        THEN jsonb_build_object('chunk_index', metadata->'chunkIndex') || metadata
        ELSE coalesce(metadata, '{}')
    END AS metadata
FROM {schema}.chunk WHERE id = ANY ($1)
