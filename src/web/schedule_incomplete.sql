UPDATE kb_rag.web_schedule SET is_complete = false WHERE source_id = $1
