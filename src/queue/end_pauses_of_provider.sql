DELETE FROM kb_rag.pause WHERE provider = $1 OR split_part(model, '/', 1) = $1
