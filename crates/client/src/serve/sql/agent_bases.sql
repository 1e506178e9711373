SELECT coalesce(pg_catalog.json_agg(a), '[]')::pg_catalog.text FROM {extension}.kb_agent_list() a
WHERE a.agent_id OPERATOR(pg_catalog.=) {extension}.kb_agent($1)
