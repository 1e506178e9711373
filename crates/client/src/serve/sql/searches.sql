SELECT coalesce(pg_catalog.json_agg(h ORDER BY h.at DESC), '[]')::pg_catalog.text
FROM (SELECT h.* FROM kb_rag.search_history h ORDER BY h.at DESC LIMIT $1 OFFSET $2) h
