SELECT c.id, c.tsv, c.words
FROM {schema}.chunk c
WHERE {lexemes} @@ $1::tsquery AND {conditions}
