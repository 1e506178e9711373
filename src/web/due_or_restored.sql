-- Those that are due, and those of a restored database, which have no schedule yet; not those with jobs.
SELECT w.source_id
FROM kb_rag.web_source w
LEFT JOIN kb_rag.web_schedule s ON s.source_id = w.source_id
WHERE w.auto_sync AND (s.source_id IS NULL OR s.next_sync_at <= now()) AND NOT EXISTS (
    SELECT FROM kb_rag.job j
    WHERE j.knowledge_base_id = w.knowledge_base_id AND j.kind IN ('source', 'fetch') AND NOT j.failed
        AND (j.target = w.source_id OR j.target IN (SELECT id FROM kb_rag.web_page WHERE source_id = w.source_id))
)
ORDER BY s.next_sync_at NULLS LAST, w.created_at
