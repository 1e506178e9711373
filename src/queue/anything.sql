SELECT EXISTS (SELECT FROM kb_rag.job WHERE NOT failed)
    -- Or a pending model whose vectors are all there, and which only has to replace the current one.
    OR EXISTS (
        SELECT FROM kb_rag.knowledge_base k
        WHERE k.next_model IS NOT NULL
            AND NOT EXISTS (SELECT FROM kb_rag.job WHERE knowledge_base_id = k.id AND kind = 'change' AND failed)
    )
    -- Or what triggers noted while library and SQL had different formats.
    OR EXISTS (SELECT FROM kb_rag.missed_write)
    -- Or a URL that is to be fetched again.
    OR EXISTS (SELECT FROM kb_rag.web_schedule WHERE next_sync_at <= now())
