-- From one kind to the next one in the index, since the queue may be long.
WITH RECURSIVE queued AS (
    SELECT k.id AS base, (SELECT min(j.kind) FROM kb_rag.job j WHERE j.knowledge_base_id = k.id AND NOT j.failed AND j.worker IS NULL) AS kind
    FROM kb_rag.knowledge_base k
    UNION ALL
    SELECT q.base, (SELECT min(j.kind) FROM kb_rag.job j WHERE j.knowledge_base_id = q.base AND NOT j.failed AND j.worker IS NULL AND j.kind > q.kind)
    FROM queued q
    WHERE q.kind IS NOT NULL
)
SELECT base, kind FROM queued WHERE kind <> ALL ($1)
ORDER BY base, kind
