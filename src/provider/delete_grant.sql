DELETE FROM kb_rag.provider_grant WHERE provider = $1 AND role = $2
