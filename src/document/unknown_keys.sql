-- One of the keys $1 that no document has, if there are documents.
SELECT key
FROM unnest($1) WITH ORDINALITY asked (key, place)
WHERE EXISTS (SELECT FROM {schema}.document)
    AND NOT EXISTS (SELECT FROM {schema}.document d WHERE {metadata} ? key)
ORDER BY place
LIMIT 1
