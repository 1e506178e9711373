SELECT c.id, c.tsv, coalesce(c.words, 0) AS words
FROM {schema}.chunk c
WHERE {lexemes} @@ $1::tsquery AND {conditions}
