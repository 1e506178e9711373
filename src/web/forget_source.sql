WITH jobs AS (DELETE FROM kb_rag.job WHERE knowledge_base_id = $1 AND kind = 'source' AND target = $2),
    pages AS (DELETE FROM kb_rag.web_page WHERE source_id = $2),
    schedule AS (DELETE FROM kb_rag.web_schedule WHERE source_id = $2)
DELETE FROM kb_rag.web_source WHERE source_id = $2
