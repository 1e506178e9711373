SELECT p.source_id, count(*) FILTER (WHERE p.status <> 'pending'), count(*)
FROM kb_rag.web_page p
JOIN kb_rag.web_source w ON w.source_id = p.source_id AND p.crawl = w.crawl AND NOT (w.content_type = 'github' AND p.depth = 0)
WHERE p.source_id = ANY ($1)
GROUP BY p.source_id
