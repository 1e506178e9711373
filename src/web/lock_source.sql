SELECT FROM kb_rag.web_source WHERE source_id = $1 FOR UPDATE
