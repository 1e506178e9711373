SELECT DISTINCT k.owner FROM kb_rag.knowledge_base k
WHERE $1 IN (split_part(k.model, '/', 1), split_part(k.next_model, '/', 1))
