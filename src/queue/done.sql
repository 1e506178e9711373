-- A document that failed and was then changed has a failed job and one that is done now: the failed one is obsolete. A
-- session that retries it has it locked and may wait for this worker.
WITH done AS (DELETE FROM kb_rag.job
    WHERE id IN (SELECT id FROM kb_rag.job WHERE id = ANY ($1) AND worker = pg_backend_pid() FOR UPDATE SKIP LOCKED)
    RETURNING target, kind),
    failed AS (
        SELECT j.id FROM kb_rag.job j
        WHERE j.failed AND j.target = ANY (SELECT target FROM done)
            AND EXISTS (SELECT FROM done WHERE done.target = j.target AND done.kind = j.kind)
        FOR UPDATE OF j SKIP LOCKED
    )
DELETE FROM kb_rag.job WHERE id IN (SELECT id FROM failed)
