-- A row if the host $1 was slow: whether work for other hosts is due, that of sources included, and not paused.
SELECT EXISTS (
    SELECT FROM kb_rag.knowledge_base k
    CROSS JOIN LATERAL (
        SELECT j.kind, j.target FROM kb_rag.job j
        WHERE j.knowledge_base_id = k.id AND j.kind IN ('source', 'fetch') AND NOT j.failed
            AND coalesce(j.lease_until, j.due_at) <= clock_timestamp() AND j.worker IS NULL
    ) j
    LEFT JOIN kb_rag.web_page p ON j.kind = 'fetch' AND p.id = j.target
    LEFT JOIN kb_rag.web_slow o ON o.origin = substring(p.url FROM '^[a-z]+://[^/?#]*') AND o.until > clock_timestamp()
    WHERE o.origin IS NULL AND NOT EXISTS (
        SELECT FROM kb_rag.pause u
        WHERE u.knowledge_base_id = k.id AND (u.kind IS NULL OR u.kind = j.kind) AND u.until > clock_timestamp()
    )
)
FROM kb_rag.web_slow s
WHERE s.origin = $1 AND s.until > clock_timestamp()
