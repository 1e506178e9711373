INSERT INTO kb_rag.limited_grant AS g (provider, role, agent_id, auto_sync) VALUES ($1, $2, $3, $4)
ON CONFLICT ON CONSTRAINT limited_grant_key DO UPDATE SET auto_sync = excluded.auto_sync WHERE g.auto_sync <> excluded.auto_sync
