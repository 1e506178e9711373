SELECT f.administered FROM kb_rag.handle h, LATERAL kb_rag.administers_agent($1) f (administered) WHERE {nodes}
