-- A document that was given up and then changed has a job that failed and one that is done now: the first says nothing more.
WITH done AS (DELETE FROM kb_rag.job WHERE id = ANY ($1) AND worker = pg_backend_pid() RETURNING target, kind)
DELETE FROM kb_rag.job j USING done WHERE j.failed AND j.target = done.target AND j.kind = done.kind
