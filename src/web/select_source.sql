-- A crawl without jobs has ended, or was lost.
SELECT w.*, coalesce(s.is_crawling, false) AND EXISTS (
        SELECT FROM kb_rag.job j
        WHERE j.knowledge_base_id = w.knowledge_base_id AND j.kind IN ('source', 'fetch') AND NOT j.failed
            AND (j.target = w.source_id OR j.target IN (SELECT id FROM kb_rag.web_page WHERE source_id = w.source_id))
    ) AS is_crawling,
    coalesce(s.is_forced, false) AS is_forced, coalesce(s.is_complete, true) AS is_complete, s.remote_crawl, s.next_sync_at
FROM kb_rag.web_source w
LEFT JOIN kb_rag.web_schedule s ON s.source_id = w.source_id
WHERE {condition}
ORDER BY w.created_at, w.source_id
