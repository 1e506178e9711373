-- A pause is deleted when the provider responds: while there is one, calls from before it do not count.
SELECT EXISTS (
    SELECT FROM kb_rag.knowledge_base k
    JOIN kb_rag.usage u ON u.knowledge_base_id = k.id
    WHERE $1 IN (k.model, k.next_model, {summaries}) AND u.model = $1 AND u.items > 0 AND k.id = coalesce($3, k.id)
        AND u.at > greatest(
            now() - interval '1 hour',
            (
                SELECT min(since) FROM kb_rag.pause
                WHERE model = $1 OR provider = $2 OR knowledge_base_id = $3 AND tries_one_chunk
            )
        )
)
