SELECT p.* FROM kb_rag.web_page p
JOIN kb_rag.web_source w ON w.source_id = p.source_id AND w.knowledge_base_id = $1
WHERE p.document_id = $2
ORDER BY p.crawl DESC, p.depth, p.id
