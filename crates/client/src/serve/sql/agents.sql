SELECT coalesce(pg_catalog.json_agg(a), '[]')::pg_catalog.text FROM {extension}.kb_agent_list(knowledge_base => $1) a
