SELECT e.chunk_id, e.embedding OPERATOR({vector}.<=>) {query} AS distance
FROM {schema}.embedding e {join}
WHERE e.chunk_id = ANY ({listed}) AND e.embedding IS NOT NULL
ORDER BY distance, e.chunk_id
LIMIT {limit}
