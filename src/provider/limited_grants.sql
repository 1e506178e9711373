SELECT role, agent_id, auto_sync FROM kb_rag.limited_grant WHERE provider = $1
