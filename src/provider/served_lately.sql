-- A pause is forgotten when the provider answers: while there is one, what it did before does not count.
SELECT EXISTS (
    SELECT FROM kb_rag.knowledge_base k
    JOIN kb_rag.usage u ON u.knowledge_base_id = k.id
    WHERE $1 IN (k.model, k.next_model) AND u.model = $1 AND u.items > 0
        AND u.at > greatest(
            now() - interval '1 hour',
            (SELECT min(since) FROM kb_rag.pause WHERE target IN ($1, split_part($1, '/', 1)))
        )
)
