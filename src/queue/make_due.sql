-- Jobs that wait without a charged attempt: their model could not be opened.
UPDATE kb_rag.job j SET due_at = clock_timestamp()
FROM kb_rag.knowledge_base k
WHERE k.id = j.knowledge_base_id AND NOT j.failed AND j.worker IS NULL AND j.attempts = 0 AND j.error IS NOT NULL
    AND j.due_at > clock_timestamp()
    AND $1 IN (split_part(k.model, '/', 1), split_part(k.next_model, '/', 1))
