-- The sources of base $1, or only $2, none of whose jobs is being done or due, with that which is due first: the source, what
-- is asked again, in how many seconds, when, the reason, which $3 precedes where a host asked for it, and whether the job is that
-- of the source.
SELECT DISTINCT ON (j.source_id) j.source_id, j.place, extract(epoch FROM j.due_at - clock_timestamp())::float8,
    j.due_at::timestamptz(0)::text, j.reason, j.is_of_source
FROM (
    SELECT *, bool_and(worker IS NULL AND due_at > clock_timestamp() AND reason IS NOT NULL) OVER (PARTITION BY source_id) AS waits
    FROM (
        SELECT w.source_id, w.location AS place, j.worker, j.due_at, CASE WHEN j.attempts > 0 THEN j.error END AS reason,
            true AS is_of_source
        FROM kb_rag.web_source w
        JOIN kb_rag.job j ON j.knowledge_base_id = $1 AND j.kind = 'source' AND j.target = w.source_id AND NOT j.failed
        WHERE w.knowledge_base_id = $1 AND coalesce(w.source_id = $2, true)
        UNION ALL
        SELECT p.source_id, coalesce(h.origin, p.url), j.worker, greatest(j.due_at, h.until),
            coalesce($3 || h.reason, j.error), false
        FROM kb_rag.job j
        JOIN kb_rag.web_page p ON p.id = j.target
        LEFT JOIN {waits} h ON h.origin = substring(p.url FROM '^[a-z]+://[^/?#]*')
        WHERE j.knowledge_base_id = $1 AND j.kind = 'fetch' AND NOT j.failed AND coalesce(p.source_id = $2, true)
    ) all_jobs
) j
WHERE j.waits
ORDER BY j.source_id, j.due_at
