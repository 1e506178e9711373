-- The subquery parses the tsquery once; a plain expression would parse it for every row.
SELECT c.id, ts_rank($2, c.tsv, (SELECT $1::tsquery), 1)::float8 AS score
FROM {schema}.chunk c
WHERE {lexemes} @@ $1::tsquery AND {conditions}
ORDER BY score DESC, c.id
LIMIT {limit}
