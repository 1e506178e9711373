UPDATE kb_rag.job SET failed = false, held_up_at = NULL, attempts = 0, generation = 0, unusable = '{}', due_at = clock_timestamp()
WHERE knowledge_base_id = $1 AND kind = ANY ($2) AND worker IS NULL AND (failed OR error IS NOT NULL OR due_at > clock_timestamp())
    AND (failed OR target <> ALL (
        SELECT unnest($3::uuid[]) UNION ALL SELECT id FROM kb_rag.web_page WHERE source_id = ANY ($3)
    ))
RETURNING kind, target
