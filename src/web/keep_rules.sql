WITH old AS (DELETE FROM kb_rag.web_host WHERE greatest(next_at, robots_until) < now() - interval '1 day' AND origin <> $1)
INSERT INTO kb_rag.web_host (origin, robots_status, robots, robots_until)
VALUES ($1, $2, $3, clock_timestamp() + make_interval(secs => $4))
ON CONFLICT (origin) DO UPDATE
SET robots_status = excluded.robots_status, robots = excluded.robots, robots_until = excluded.robots_until
