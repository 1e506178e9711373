SELECT coalesce(pg_catalog.json_agg(s ORDER BY s.created_at, s.source_id), '[]')::pg_catalog.text
FROM {extension}.kb_source_list(knowledge_base => $1,
    agent_id => CASE WHEN $2 IS NOT NULL THEN {extension}.kb_agent($2) END) s
