-- In a row are failures that follow each other: not one long after the last pause was over.
INSERT INTO kb_rag.pause AS p (target, until, reason, failures) VALUES ($1, clock_timestamp(), $2, 1)
ON CONFLICT (target) DO UPDATE SET reason = excluded.reason,
    failures = CASE
        WHEN p.until > clock_timestamp() THEN p.failures
        WHEN p.until > clock_timestamp() - interval '10 minutes' THEN p.failures + 1
        ELSE 1
    END
RETURNING p.failures
