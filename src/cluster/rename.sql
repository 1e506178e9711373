UPDATE kb_rag.placement SET name = $2 WHERE name = $1
