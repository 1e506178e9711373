-- Queued sources are due again later, in case their jobs are lost. The longest overdue first. One that is queued already, or
-- being fetched, has jobs; a crawl without any was lost.
WITH due AS (
    SELECT s.source_id FROM kb_rag.web_schedule s
    JOIN kb_rag.web_source w ON w.source_id = s.source_id
    WHERE s.next_sync_at <= now() AND w.auto_sync AND NOT EXISTS (
        SELECT FROM kb_rag.job j
        WHERE j.knowledge_base_id = w.knowledge_base_id AND j.kind IN ('source', 'fetch') AND NOT j.failed
            AND (j.target = w.source_id OR j.target IN (SELECT id FROM kb_rag.web_page WHERE source_id = w.source_id))
    )
    ORDER BY s.next_sync_at
    FOR UPDATE OF s SKIP LOCKED
)
UPDATE kb_rag.web_schedule s SET is_due = true, next_sync_at = now() + least(w.sync_interval, interval '1 hour')
FROM due
JOIN kb_rag.web_source w ON w.source_id = due.source_id
WHERE s.source_id = due.source_id
RETURNING w.source_id, w.knowledge_base_id
