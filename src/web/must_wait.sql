-- A crawl without jobs has ended, or was lost.
SELECT EXISTS (SELECT FROM kb_rag.web_schedule WHERE source_id = $1 AND is_due) AND EXISTS (
    SELECT FROM kb_rag.web_schedule o
    JOIN kb_rag.web_source w ON w.source_id = o.source_id
    WHERE o.is_crawling AND o.is_due AND o.source_id <> $1 AND EXISTS (
        SELECT FROM kb_rag.job j
        WHERE j.knowledge_base_id = w.knowledge_base_id AND j.kind IN ('source', 'fetch') AND NOT j.failed
            AND (j.target = o.source_id OR j.target IN (SELECT id FROM kb_rag.web_page WHERE source_id = o.source_id))
    )
)
