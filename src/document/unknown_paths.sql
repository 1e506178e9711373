-- The first of the paths $1, arrays of keys from outside to inside, of which no document has a value. None if there are no documents.
SELECT string_agg(key.name, '.' ORDER BY key.place)
FROM jsonb_array_elements($1) WITH ORDINALITY asked (path, place), jsonb_array_elements_text(asked.path) WITH ORDINALITY key (name, place)
WHERE EXISTS (SELECT FROM {schema}.document)
    AND NOT EXISTS (
        SELECT FROM {schema}.document d WHERE {metadata} #> ARRAY(SELECT jsonb_array_elements_text(asked.path)) IS NOT NULL
    )
GROUP BY asked.place
ORDER BY asked.place
LIMIT 1
