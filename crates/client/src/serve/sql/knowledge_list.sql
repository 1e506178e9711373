SELECT coalesce(pg_catalog.json_agg(k.entry ORDER BY k.place), '[]')::pg_catalog.text
FROM (
    SELECT b.ordinality AS place, pg_catalog.json_build_object('id', d.document_id, 'sourceType', d.source_type, 'sourceId',
        coalesce(d.source, CASE d.source_type WHEN 'agent_output' THEN coalesce(d.metadata OPERATOR(pg_catalog.->>) 'agent', d.metadata OPERATOR(pg_catalog.->>) 'agent_id') END),
        'title', d.title, 'abstract', d.abstract, 'overview', d.overview, 'model', l.model, 'metadata', d.metadata,
        'knowledgeBase', d.knowledge_base, 'status', d.status, 'createdAt', d.created_at, 'updatedAt', d.updated_at) AS entry
    FROM {extension}.kb_browse(knowledge_base => $1, source_type => $2, match_count => $3, match_offset => $4) WITH ORDINALITY b
    CROSS JOIN LATERAL {extension}.kb_read(b.document_id, 'overview', b.knowledge_base) d
    JOIN {extension}.kb_list() l ON l.name = d.knowledge_base
) k
