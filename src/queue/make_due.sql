-- Jobs that wait without a charged attempt: their model could not be opened. And those whose calls were answered with what
-- could not be used: they are counted anew.
UPDATE kb_rag.job j
SET due_at = clock_timestamp(), attempts = CASE WHEN j.unusable = '{}' THEN j.attempts ELSE 0 END, unusable = '{}'
FROM kb_rag.knowledge_base k
WHERE k.id = j.knowledge_base_id AND NOT j.failed AND j.worker IS NULL AND j.error IS NOT NULL
    AND (j.attempts = 0 AND j.due_at > clock_timestamp() OR j.unusable <> '{}')
    AND $1 IN (split_part(k.model, '/', 1), split_part(k.next_model, '/', 1), split_part({summaries}, '/', 1))
