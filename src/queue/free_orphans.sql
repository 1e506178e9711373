-- Only the claims that were seen: a job may have been claimed again since, by a process that is at work now.
UPDATE kb_rag.job SET due_at = clock_timestamp(), worker = NULL, claimed_at = NULL, lease_until = NULL, attempts = attempts - 1
WHERE id IN (
    SELECT j.id FROM kb_rag.job j
    JOIN unnest($1::uuid[], $2::int[], $3::timestamptz[]) o (id, worker, claimed_at)
        ON j.id = o.id AND j.worker = o.worker AND j.claimed_at IS NOT DISTINCT FROM o.claimed_at
    FOR UPDATE OF j SKIP LOCKED
)
