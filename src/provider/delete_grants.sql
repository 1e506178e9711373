DELETE FROM kb_rag.provider_grant WHERE provider = $1
