SELECT c.id, c.tsv, c.words
FROM {schema}.chunk c
WHERE c.id = ANY ($1)
