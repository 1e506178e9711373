INSERT INTO kb_rag.provider_grant (provider, role) VALUES ($1, $2) ON CONFLICT (provider, role) DO NOTHING
