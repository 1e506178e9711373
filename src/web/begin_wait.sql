-- What the host asked for last holds. The time between two pages may be longer.
WITH old AS (
        DELETE FROM kb_rag.web_wait WHERE origin IN (
            SELECT origin FROM kb_rag.web_wait WHERE until < clock_timestamp() - interval '1 day' AND origin <> $1 FOR UPDATE SKIP LOCKED
        )
    ),
    host AS (
        INSERT INTO kb_rag.web_host (origin, next_at) VALUES ($1, clock_timestamp() + make_interval(secs => $2))
        ON CONFLICT (origin) DO UPDATE SET next_at = excluded.next_at
        RETURNING origin, next_at
    )
INSERT INTO kb_rag.web_wait (origin, until, reason) SELECT origin, next_at, $3 FROM host
ON CONFLICT (origin) DO UPDATE SET until = excluded.until, reason = excluded.reason
