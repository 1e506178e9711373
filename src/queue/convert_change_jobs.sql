UPDATE kb_rag.job SET kind = 'embed', held_up_at = NULL WHERE knowledge_base_id = $1 AND kind = 'change'
