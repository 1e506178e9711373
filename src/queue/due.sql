-- What somebody is at may be free again any moment.
SELECT k.id, w.kind,
    CASE WHEN j.worker IS NOT NULL AND j.due_at > clock_timestamp() THEN 0.25
        ELSE extract(epoch FROM greatest(j.due_at, p.until) - clock_timestamp())
    END::float8
FROM kb_rag.knowledge_base k
CROSS JOIN LATERAL (VALUES ('embed', k.model), ('change', k.next_model), ('backfill', NULL)) w (kind, model)
CROSS JOIN LATERAL (
    (
        SELECT due_at, worker FROM kb_rag.job
        WHERE knowledge_base_id = k.id AND kind = w.kind AND NOT failed
        ORDER BY due_at
        LIMIT 1
    )
    UNION ALL
    -- All vectors of the model that is to come are there: it can take its place.
    SELECT k.created_at, NULL
    WHERE w.kind = 'change' AND k.next_model IS NOT NULL
        AND NOT EXISTS (SELECT FROM kb_rag.job WHERE knowledge_base_id = k.id AND kind = 'change' AND NOT failed)
) j
LEFT JOIN LATERAL (
    SELECT max(until) AS until FROM kb_rag.pause WHERE target IN (w.model, split_part(w.model, '/', 1), k.id || '/' || w.kind)
) p ON true
CROSS JOIN LATERAL (
    SELECT count(DISTINCT worker) AS workers FROM kb_rag.job
    WHERE worker IS NOT NULL AND due_at > clock_timestamp() AND knowledge_base_id = k.id AND kind = w.kind
) a
WHERE k.id <> ALL ($1)
ORDER BY a.workers, greatest(j.due_at, p.until)
