WITH waiting AS (
    SELECT p.id, p.depth, EXISTS (
        SELECT FROM kb_rag.job j WHERE j.knowledge_base_id = $1 AND j.kind = 'fetch' AND j.target = p.id AND NOT j.failed
    ) AS has_job
    FROM kb_rag.web_page p
    WHERE p.source_id = $2 AND p.crawl = $3 AND p.status = 'pending'
)
SELECT (SELECT id FROM waiting WHERE NOT has_job ORDER BY depth, id LIMIT 1), EXISTS (SELECT FROM waiting WHERE has_job)
