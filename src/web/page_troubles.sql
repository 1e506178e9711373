-- Pages that failed, those whose status is none of $2, and pages and sources that are tried again or wait for a host, for which
-- the time until which they wait is the last column. $3 precedes the reason of those that a server asked to wait. Pages of
-- repositories and of Firecrawl have no jobs.
SELECT t.source_id, t.url, t.document_id, t.reason, coalesce(t.attempts, 1),
    CASE WHEN t.failed THEN NULL WHEN t.worker IS NOT NULL THEN t.claimed_at ELSE t.until END, t.status,
    CASE WHEN NOT t.failed AND t.worker IS NULL THEN t.until::timestamptz(0)::text END
FROM (
    SELECT w.source_id, p.url, p.document_id, coalesce($3 || h.reason, j.error, p.error, 'unknown error') AS reason,
        j.attempts, j.failed, j.worker, j.claimed_at, greatest(j.due_at, h.until) AS until, p.status
    FROM kb_rag.web_source w
    JOIN kb_rag.web_page p ON p.source_id = w.source_id
    LEFT JOIN {waits} h ON h.origin = substring(p.url FROM '^[a-z]+://[^/?#]*') AND EXISTS (
        SELECT FROM kb_rag.job j
        WHERE j.knowledge_base_id = $1 AND j.kind = 'fetch' AND j.target = p.id AND NOT j.failed AND j.worker IS NULL
    )
    LEFT JOIN kb_rag.job j ON j.knowledge_base_id = $1 AND j.kind = 'fetch' AND j.target = p.id
        AND (j.error IS NOT NULL OR h.origin IS NOT NULL)
    WHERE w.knowledge_base_id = $1
        AND (p.status = 'failed' OR p.status <> ALL ($2)
            OR j.id IS NOT NULL AND (j.failed OR j.attempts > 0 OR j.due_at > clock_timestamp() OR h.origin IS NOT NULL))
    UNION ALL
    SELECT w.source_id, w.location, NULL, j.error, j.attempts, j.failed, j.worker, j.claimed_at, j.due_at, NULL
    FROM kb_rag.web_source w
    JOIN kb_rag.job j ON j.knowledge_base_id = $1 AND j.kind = 'source' AND j.target = w.source_id AND j.error IS NOT NULL
    WHERE w.knowledge_base_id = $1 AND (j.failed OR j.attempts > 0 OR j.due_at > clock_timestamp())
) t
ORDER BY 1, 2
