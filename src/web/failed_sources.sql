SELECT DISTINCT coalesce(p.source_id, j.target)
FROM kb_rag.job j
LEFT JOIN kb_rag.web_page p ON j.kind = 'fetch' AND p.id = j.target
WHERE j.knowledge_base_id = $1 AND j.failed AND (j.kind = 'source' OR p.id IS NOT NULL)
