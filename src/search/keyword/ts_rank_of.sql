SELECT c.id, ts_rank($2, c.tsv, (SELECT $1::tsquery), 1)::float8 AS score
FROM {schema}.chunk c
WHERE c.id = ANY ($3)
