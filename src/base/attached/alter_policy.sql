ALTER POLICY kb_rag_follow ON {table} USING ({condition})
