SELECT c.id, c.tsv, coalesce(c.words, 0) AS words
FROM {schema}.chunk c
WHERE c.id = ANY ($1)
