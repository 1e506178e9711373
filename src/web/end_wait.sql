-- Not the pages that were themselves answered with a wait, which $2 precedes in their jobs: they might make all wait again. Never
-- waits for a job: a worker or a session that has it decides.
WITH host AS (
        UPDATE kb_rag.web_host h SET next_at = clock_timestamp()
        FROM kb_rag.web_wait w
        WHERE h.origin = $1 AND w.origin = h.origin AND w.until = h.next_at
        RETURNING h.origin
    ),
    over AS (DELETE FROM kb_rag.web_wait WHERE origin IN (SELECT origin FROM host) RETURNING origin),
    waiting AS (
        SELECT j.id FROM kb_rag.job j
        JOIN kb_rag.web_page p ON p.id = j.target
        JOIN over o ON o.origin = substring(p.url FROM '^[a-z]+://[^/?#]*')
        WHERE j.kind = 'fetch' AND NOT j.failed AND j.worker IS NULL AND j.due_at > clock_timestamp()
            AND NOT coalesce(starts_with(j.error, $2), false)
        FOR UPDATE OF j SKIP LOCKED
    )
UPDATE kb_rag.job SET due_at = clock_timestamp() WHERE id IN (SELECT id FROM waiting)
