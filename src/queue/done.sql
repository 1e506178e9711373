-- A document that was given up and then changed has a job that failed and one that is done now: the first says nothing
-- more. Who tries it again has it locked and may wait for us.
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
