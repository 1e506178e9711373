SELECT pg_catalog.json_build_object('id', d.document_id, 'sourceType', d.source_type, 'sourceId',
        coalesce(d.source, CASE d.source_type WHEN 'agent_output' THEN coalesce(d.metadata OPERATOR(pg_catalog.->>) 'agent', d.metadata OPERATOR(pg_catalog.->>) 'agent_id') END), 'title', d.title,
    'content', d.text, 'abstract', d.abstract, 'overview', d.overview,
    'model', (SELECT l.model FROM {extension}.kb_list() l WHERE l.name = d.knowledge_base), 'metadata', d.metadata,
    'knowledgeBase', d.knowledge_base, 'status', d.status, 'createdAt', d.created_at, 'updatedAt', d.updated_at)::pg_catalog.text
FROM {extension}.kb_read(document_id => $1::pg_catalog.uuid, knowledge_base => $2) d
