SELECT c.id, pg_catalog.ts_rank(c.tsv, $1::tsquery, 1)::float8 AS score
FROM {schema}.chunk c
WHERE c.tsv @@ $1::tsquery AND {conditions}
ORDER BY score DESC, c.id
LIMIT {limit}
