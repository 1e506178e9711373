-- Claimed work may become free at any moment. One of $2 workers is always kept free for providers that respond, so that
-- a hanging provider cannot block other knowledge bases.
WITH active AS (
    SELECT DISTINCT j.worker, j.kind, k.id AS base,
        split_part(CASE j.kind WHEN 'change' THEN k.next_model WHEN 'embed' THEN k.model WHEN 'summary' THEN {summaries} END, '/', 1) AS provider
    FROM kb_rag.job j
    JOIN kb_rag.knowledge_base k ON k.id = j.knowledge_base_id
    WHERE j.worker IS NOT NULL AND j.lease_until > clock_timestamp()
)
SELECT k.id, w.kind,
    greatest(
        CASE WHEN j.worker IS NOT NULL AND j.due_at > clock_timestamp() THEN 0.25
            ELSE extract(epoch FROM greatest(j.due_at, p.until) - clock_timestamp())
        END,
        CASE WHEN a.at_provider >= greatest($2 - 1, 1) AND w.provider <> ALL ($3) AND NOT EXISTS (
            SELECT FROM active o
            JOIN kb_rag.usage u ON u.knowledge_base_id = o.base AND u.at > now() - interval '5 minutes' AND u.items > 0
            WHERE o.provider = w.provider AND split_part(u.model, '/', 1) = w.provider
        ) THEN 0.05 END
    )::float8,
    coalesce(p.exceeded, false),
    (SELECT count(DISTINCT owner) > 1 FROM kb_rag.knowledge_base)
FROM kb_rag.knowledge_base k
CROSS JOIN LATERAL (
    SELECT v.kind, m.model, split_part(m.model, '/', 1) AS provider
    FROM unnest($4::text[]) v (kind)
    CROSS JOIN LATERAL (SELECT CASE v.kind WHEN 'embed' THEN k.model WHEN 'change' THEN k.next_model WHEN 'summary' THEN {summaries} END AS model) m
) w
CROSS JOIN LATERAL (
    (
        SELECT coalesce(lease_until, due_at) AS due_at, worker FROM kb_rag.job
        WHERE knowledge_base_id = k.id AND kind = w.kind AND NOT failed
        ORDER BY coalesce(lease_until, due_at)
        LIMIT 1
    )
    UNION ALL
    -- All vectors of the pending model are there: it can replace the current one.
    SELECT k.created_at, NULL
    WHERE w.kind = 'change' AND k.next_model IS NOT NULL
        AND NOT EXISTS (SELECT FROM kb_rag.job WHERE knowledge_base_id = k.id AND kind = 'change' AND NOT failed)
        -- Unless failed documents were just seen to block it.
        AND NOT EXISTS (
            SELECT FROM kb_rag.job WHERE knowledge_base_id = k.id AND kind = 'change' AND failed
                AND held_up_at > clock_timestamp() - interval '1 minute'
        )
) j
LEFT JOIN LATERAL (
    SELECT max(until) AS until, bool_or(exceeded) AS exceeded
    FROM kb_rag.pause
    WHERE model = w.model OR provider = w.provider OR knowledge_base_id = k.id AND (kind IS NULL OR kind = w.kind)
) p ON true
CROSS JOIN LATERAL (
    SELECT count(DISTINCT worker) FILTER (WHERE provider = w.provider) AS at_provider,
        count(DISTINCT worker) FILTER (WHERE base = k.id AND kind = w.kind) AS at_work
    FROM active
) a
WHERE k.id <> ALL ($1)
ORDER BY a.at_provider, a.at_work, w.kind = 'summary', greatest(j.due_at, p.until)
