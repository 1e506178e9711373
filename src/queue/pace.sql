SELECT clock_timestamp() - (SELECT min(created_at) FROM kb_rag.job WHERE knowledge_base_id = $1 AND kind <> 'index' AND NOT failed),
    (
        SELECT sum(items)::float8 / greatest(extract(epoch FROM clock_timestamp() - min(at))::float8, 1)
        FROM kb_rag.usage
        WHERE knowledge_base_id = $1 AND at > now() - interval '1 minute' AND model IN (
            SELECT unnest(ARRAY[k.model, k.next_model]) FROM kb_rag.knowledge_base k WHERE k.id = $1
        )
        HAVING sum(items) > 0
    )
