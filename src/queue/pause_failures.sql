INSERT INTO kb_rag.pause AS p (target, until, reason, failures) VALUES ($1, clock_timestamp(), $2, 1)
ON CONFLICT (target) DO UPDATE SET reason = excluded.reason, failures = p.failures + CASE WHEN p.until > clock_timestamp() THEN 0 ELSE 1 END
RETURNING p.failures
