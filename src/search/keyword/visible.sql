SELECT c.id, c.tsv, coalesce(c.length, 0) AS length
FROM {schema}.chunk c
WHERE c.tsv @@ $1::tsquery AND {conditions}
