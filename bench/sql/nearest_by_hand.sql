-- What match_knowledge_chunks does over the vector index, written by hand. $1 vector, $2 number of results.
SELECT c.id, c.content, 1 - n.distance AS similarity, c.metadata
FROM (
    SELECT e.chunk_id, e.embedding <=> $1 AS distance
    FROM {schema}.embedding e
    ORDER BY e.embedding <=> $1
    LIMIT $2::int8
) n
JOIN {schema}.chunk c ON c.id = n.chunk_id
WHERE 1 - n.distance > 0.3
ORDER BY n.distance, c.id
