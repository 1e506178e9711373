(SELECT w.* FROM kb_rag.web_wait w JOIN kb_rag.web_host n ON n.origin = w.origin AND n.next_at = w.until WHERE w.until > clock_timestamp())
