SELECT coalesce(jsonb_agg(jsonb_build_object(
    'source_id', s.source_id, 'location', s.location, 'uses', s.uses, 'labels', s.labels, 'names', s.names,
    'source_type', s.source_type, 'row_security', s.row_security, 'row_secured', s.row_secured{kept_types}) ORDER BY s.location, s.source_id), '[]')::text
FROM kb_rag.attached_table s
WHERE s.knowledge_base_id = $1
