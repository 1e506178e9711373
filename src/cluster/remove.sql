DELETE FROM kb_rag.placement WHERE name = ANY ($1)
