WITH detached AS (DELETE FROM kb_rag.agent_knowledge_base WHERE knowledge_base_id = $1),
    pages AS (DELETE FROM kb_rag.web_page WHERE source_id IN (SELECT source_id FROM kb_rag.web_source WHERE knowledge_base_id = $1)),
    schedules AS (DELETE FROM kb_rag.web_schedule WHERE source_id IN (SELECT source_id FROM kb_rag.web_source WHERE knowledge_base_id = $1)),
    sources AS (DELETE FROM kb_rag.web_source WHERE knowledge_base_id = $1),
    tables AS (DELETE FROM kb_rag.attached_table WHERE knowledge_base_id = $1),
    statistics AS (DELETE FROM kb_rag.base_statistics WHERE knowledge_base_id = $1),
    forgotten AS (DELETE FROM kb_rag.job WHERE knowledge_base_id = $1),
    unlogged AS (DELETE FROM kb_rag.search_log WHERE knowledge_bases @> ARRAY[$1]),
    missed AS (DELETE FROM kb_rag.missed_write WHERE knowledge_base_id = $1),
    resumed AS (DELETE FROM kb_rag.pause WHERE knowledge_base_id = $1)
DELETE FROM kb_rag.knowledge_base WHERE id = $1
