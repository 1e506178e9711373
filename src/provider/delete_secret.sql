DELETE FROM kb_rag.secret WHERE name = $1
