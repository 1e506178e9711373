SELECT e.chunk_id, e.embedding OPERATOR({vector}.<=>) {query} AS distance
FROM {schema}.embedding e {join}
ORDER BY e.embedding OPERATOR({vector}.<=>) {query}
LIMIT {limit}
