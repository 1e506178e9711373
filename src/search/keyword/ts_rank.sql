SELECT c.id, {function}($2, c.tsv, $1::tsquery, 1)::float8 AS score
FROM {schema}.chunk c
WHERE {lexemes} @@ $1::tsquery AND {conditions}
ORDER BY score DESC, c.id
LIMIT {limit}
