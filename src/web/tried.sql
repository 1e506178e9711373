UPDATE kb_rag.web_try SET is_open = false, used_at = CASE WHEN $2 THEN clock_timestamp() ELSE used_at END WHERE source_id = $1
