DELETE FROM kb_rag.job
WHERE knowledge_base_id = $1 AND kind = 'fetch' AND target IN (SELECT id FROM kb_rag.web_page WHERE source_id = $2)
