-- Failures in a row follow each other: one long after the end of the last pause counts as the first. Never waits: a row
-- that another session holds stays as it is.
WITH free AS (SELECT target FROM kb_rag.pause WHERE target = $1 FOR UPDATE SKIP LOCKED)
INSERT INTO kb_rag.pause AS p (target, until, reason, failures)
SELECT $1, clock_timestamp(), $2, 1
WHERE NOT EXISTS (SELECT FROM kb_rag.pause h WHERE h.target = $1 AND h.target NOT IN (SELECT target FROM free))
ON CONFLICT (target) DO UPDATE SET reason = excluded.reason,
    failures = CASE
        WHEN p.until > clock_timestamp() THEN p.failures
        WHEN p.until > clock_timestamp() - interval '10 minutes' THEN p.failures + 1
        ELSE 1
    END
RETURNING p.failures
