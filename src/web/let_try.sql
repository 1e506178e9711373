WITH old AS (
    DELETE FROM kb_rag.web_try WHERE source_id IN (
        SELECT t.source_id FROM kb_rag.web_try t
        WHERE t.source_id <> $1 AND NOT EXISTS (SELECT FROM kb_rag.web_source w WHERE w.source_id = t.source_id)
        FOR UPDATE SKIP LOCKED
    )
)
INSERT INTO kb_rag.web_try AS t (source_id, is_open, used_at) VALUES ($1, true, CASE WHEN $2 THEN clock_timestamp() END)
ON CONFLICT (source_id) DO UPDATE SET is_open = true, used_at = coalesce(excluded.used_at, t.used_at)
WHERE coalesce(t.used_at <= clock_timestamp() - make_interval(secs => $3), true)
RETURNING true
