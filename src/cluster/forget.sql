DELETE FROM kb_rag.placement WHERE name = $1
