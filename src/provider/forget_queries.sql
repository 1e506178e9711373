DELETE FROM kb_rag.query_cache WHERE split_part(model, '/', 1) = $1
