SELECT h.key, f.has FROM kb_rag.handle h, LATERAL kb_rag.agent_has_bases($1) f (has) WHERE {nodes}
