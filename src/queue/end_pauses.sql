DELETE FROM kb_rag.pause WHERE target = $1 OR starts_with(target, $1 || '/')
