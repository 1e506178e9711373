-- The usual filtered search over one wide table, with pgvector's defaults. $1 vector, $2 number of results.
SELECT id, content, metadata, 1 - (embedding <=> $1) AS similarity
FROM {wide}
WHERE metadata @> '{filter}'
ORDER BY embedding <=> $1
LIMIT $2::int8
