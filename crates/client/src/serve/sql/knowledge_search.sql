SELECT coalesce(pg_catalog.json_agg(k.entry ORDER BY k.place), '[]')::pg_catalog.text
FROM (
    SELECT s.ordinality AS place, pg_catalog.json_build_object('id', s.document_id, 'sourceType', s.source_type, 'sourceId', s.source,
        'title', s.title, 'abstract', s.abstract, 'overview', s.overview, 'model', l.model, 'metadata', s.metadata,
        'knowledgeBase', s.knowledge_base, 'score', s.score, 'similarity', s.similarity, 'createdAt', d.created_at) AS entry
    FROM {extension}.kb_search_documents(query => $1, knowledge_base => $2, mode => $3, match_count => $4, source_type => $5,
            level => 'abstract') WITH ORDINALITY s
    CROSS JOIN LATERAL {extension}.kb_read(s.document_id, 'abstract', s.knowledge_base) d
    JOIN {extension}.kb_list() l ON l.name = s.knowledge_base
) k
