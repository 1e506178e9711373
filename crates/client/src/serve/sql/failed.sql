SELECT coalesce(pg_catalog.json_agg(f ORDER BY f.knowledge_base, f.source_key, f.url), '[]')::pg_catalog.text
FROM kb_rag.failed f
WHERE $1 IS NULL OR f.knowledge_base = $1
