DELETE FROM kb_rag.provider WHERE name = $1 AND NOT builtin
