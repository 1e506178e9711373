SELECT coalesce(pg_catalog.json_agg(pg_catalog.json_build_object('agent_id', a.agent_id, 'knowledge_base', a.knowledge_base, 'name', a.name,
    'asked_at', a.asked_at)), '[]')::pg_catalog.text
FROM {extension}.kb_agent_list(knowledge_base => $1, unattached => true) a
