SELECT e.chunk_id, e.embedding OPERATOR({vector}.<=>) {query}
FROM {schema}.embedding e
WHERE e.chunk_id = ANY ($2) AND e.embedding IS NOT NULL
