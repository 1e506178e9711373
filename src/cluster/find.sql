SELECT groupid FROM kb_rag.placement WHERE name = $1 AND part = 0
