-- Entries in the order of their best chunks. In mode hybrid, the two searches are combined by rank.
SELECT coalesce(pg_catalog.json_agg(k.entry ORDER BY k.place), '[]')::pg_catalog.text
FROM (
    SELECT s.ordinality AS place, pg_catalog.json_build_object('id', s.document_id, 'sourceType', d.source_type, 'sourceId',
        coalesce(d.source, CASE d.source_type WHEN 'agent_output' THEN coalesce(d.metadata OPERATOR(pg_catalog.->>) 'agent', d.metadata OPERATOR(pg_catalog.->>) 'agent_id') END),
        'title', d.title, 'abstract', d.abstract, 'overview', d.overview, 'model', l.model, 'metadata', d.metadata,
        'knowledgeBase', s.knowledge_base, 'score', s.score, 'similarity', s.similarity, 'createdAt', d.created_at) AS entry
    FROM {search}(query => $1, knowledge_base => $2, mode => $3, match_count => $4, source_type => $5,
            fusion => CASE coalesce($3, 'hybrid') WHEN 'hybrid' THEN 'rrf' END, max_per_document => 1) WITH ORDINALITY s
    CROSS JOIN LATERAL {extension}.kb_read(s.document_id, 'abstract', s.knowledge_base) d
    -- Not an inner join: without a base to list, the search would not run, nor fail.
    LEFT JOIN {extension}.kb_list() l ON l.name = s.knowledge_base
) k
