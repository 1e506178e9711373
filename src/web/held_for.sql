SELECT w.agent_id FROM kb_rag.web_source w
WHERE w.agent_id = ANY ($2) AND w.source_id = coalesce((SELECT p.source_id FROM kb_rag.web_page p WHERE p.id = $1), $1)
