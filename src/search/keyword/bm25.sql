SELECT c.id, c.tsv, c.words
FROM {schema}.chunk c
WHERE {keyword_keys} @@ $1::tsquery AND {conditions}
