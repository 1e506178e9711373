INSERT INTO kb_rag.web_schedule (source_id, is_forced) VALUES ($1, true)
ON CONFLICT (source_id) DO UPDATE SET is_forced = true
