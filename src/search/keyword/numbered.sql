SELECT c.id, c.tsv, coalesce(c.length, 0) AS length
FROM {schema}.chunk c
WHERE c.keyword_number = ANY ($1) AND {conditions}
