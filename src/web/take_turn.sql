-- The seconds until the host may be asked; NULL if this is our turn.
WITH turn AS (
    INSERT INTO kb_rag.web_host AS h (origin, next_at) VALUES ($1, clock_timestamp() + make_interval(secs => $2))
    ON CONFLICT (origin) DO UPDATE SET next_at = excluded.next_at WHERE h.next_at <= clock_timestamp()
    RETURNING 1
)
SELECT CASE WHEN NOT EXISTS (SELECT FROM turn) THEN
    greatest(extract(epoch FROM (SELECT next_at FROM kb_rag.web_host WHERE origin = $1) - clock_timestamp()), 0.01)::float8
END
