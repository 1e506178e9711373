-- "+ 0" keeps the vector index out: the distances of all rows are computed.
SELECT e.chunk_id, (e.embedding OPERATOR({vector}.<=>) {query}) + 0 AS distance
FROM {schema}.embedding e {join}
WHERE e.embedding IS NOT NULL
ORDER BY distance, e.chunk_id
LIMIT {limit}
