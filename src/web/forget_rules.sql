UPDATE kb_rag.web_host SET robots_until = NULL WHERE origin = $1
