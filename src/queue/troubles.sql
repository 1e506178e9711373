-- Without those that only wait for their turn because their provider is paused. $2: kinds whose failures are shown elsewhere.
SELECT CASE WHEN j.kind IN ('embed', 'change', 'summary') THEN j.target END, j.error, j.attempts,
    CASE WHEN j.failed THEN NULL WHEN j.worker IS NOT NULL THEN j.claimed_at ELSE greatest(j.due_at, p.until) END
FROM kb_rag.job j
JOIN kb_rag.knowledge_base k ON k.id = j.knowledge_base_id
CROSS JOIN LATERAL (SELECT CASE j.kind WHEN 'change' THEN k.next_model WHEN 'summary' THEN {summaries} ELSE k.model END AS model) m
LEFT JOIN LATERAL (
    SELECT max(until) AS until FROM kb_rag.pause
    WHERE model = m.model OR provider = split_part(m.model, '/', 1) OR knowledge_base_id = k.id AND (kind IS NULL OR kind = j.kind)
) p ON true
WHERE j.knowledge_base_id = $1 AND j.kind <> ALL ($2) AND j.error IS NOT NULL
    AND (j.failed OR j.attempts > 0 OR j.due_at > clock_timestamp())
ORDER BY j.id
