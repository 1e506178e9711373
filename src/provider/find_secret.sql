SELECT s.value, s.origin, s.owner FROM kb_rag.secret s WHERE s.name = $1
