SELECT DISTINCT p.name FROM kb_rag.provider p WHERE p.api_key = 'secret:' || $1
