DELETE FROM kb_rag.web_slow WHERE origin = $1
