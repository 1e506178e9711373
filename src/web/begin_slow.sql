WITH old AS (
    DELETE FROM kb_rag.web_slow WHERE origin IN (
        SELECT origin FROM kb_rag.web_slow WHERE until < clock_timestamp() AND origin <> $1 FOR UPDATE SKIP LOCKED
    )
)
INSERT INTO kb_rag.web_slow AS s (origin, until) VALUES ($1, clock_timestamp() + make_interval(secs => $2))
ON CONFLICT (origin) DO UPDATE SET until = greatest(s.until, excluded.until)
