-- Failures in a row follow each other: one long after the end of the last pause counts as the first. Never waits: a row
-- that another session holds stays as it is.
WITH free AS (
    SELECT FROM kb_rag.pause
    WHERE (provider, model, knowledge_base_id, kind) IS NOT DISTINCT FROM ($1, $2, $3, $4)
    FOR UPDATE SKIP LOCKED
)
INSERT INTO kb_rag.pause AS p (provider, model, knowledge_base_id, kind, until, reason, failures, tries_one_chunk)
SELECT $1, $2, $3, $4, clock_timestamp(), $5, 1, $6
WHERE EXISTS (SELECT FROM free) OR NOT EXISTS (
    SELECT FROM kb_rag.pause WHERE (provider, model, knowledge_base_id, kind) IS NOT DISTINCT FROM ($1, $2, $3, $4)
)
ON CONFLICT (provider, model, knowledge_base_id, kind) DO UPDATE SET reason = excluded.reason, tries_one_chunk = p.tries_one_chunk OR excluded.tries_one_chunk,
    failures = CASE
        WHEN p.until > clock_timestamp() THEN p.failures
        WHEN p.until > clock_timestamp() - interval '10 minutes' THEN p.failures + 1
        ELSE 1
    END
RETURNING p.failures
