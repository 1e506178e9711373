SELECT coalesce(pg_catalog.json_agg(pg_catalog.to_jsonb(a) OPERATOR(pg_catalog.-) '{name,asked_at}'::pg_catalog.text[]), '[]')::pg_catalog.text FROM {extension}.kb_agent_list(knowledge_base => $1) a
