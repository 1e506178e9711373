SELECT kb_rag.vouch($1, $2) FROM kb_rag.handle h WHERE h.key = {key} AND kb_rag.is_node({group})
