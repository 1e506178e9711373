INSERT INTO kb_rag.web_host AS h (origin, next_at) VALUES ($1, clock_timestamp() + make_interval(secs => $2))
ON CONFLICT (origin) DO UPDATE SET next_at = greatest(h.next_at, excluded.next_at)
