-- Pages that failed, those whose status is none of $2, and pages and sources that are tried again. Pages of repositories and of
-- Firecrawl have no jobs.
SELECT w.source_id, p.url, p.document_id, coalesce(j.error, p.error, 'unknown error'), coalesce(j.attempts, 1),
    CASE WHEN j.id IS NULL OR j.failed THEN NULL WHEN j.worker IS NOT NULL THEN j.claimed_at ELSE j.due_at END, p.status
FROM kb_rag.web_source w
JOIN kb_rag.web_page p ON p.source_id = w.source_id
LEFT JOIN kb_rag.job j ON j.knowledge_base_id = $1 AND j.kind = 'fetch' AND j.target = p.id AND j.error IS NOT NULL
WHERE w.knowledge_base_id = $1
    AND (p.status = 'failed' OR p.status <> ALL ($2) OR j.id IS NOT NULL AND (j.failed OR j.attempts > 0 OR j.due_at > clock_timestamp()))
UNION ALL
SELECT w.source_id, w.location, NULL, j.error, j.attempts,
    CASE WHEN j.failed THEN NULL WHEN j.worker IS NOT NULL THEN j.claimed_at ELSE j.due_at END, NULL
FROM kb_rag.web_source w
JOIN kb_rag.job j ON j.knowledge_base_id = $1 AND j.kind = 'source' AND j.target = w.source_id AND j.error IS NOT NULL
WHERE w.knowledge_base_id = $1 AND (j.failed OR j.attempts > 0 OR j.due_at > clock_timestamp())
ORDER BY 1, 2
