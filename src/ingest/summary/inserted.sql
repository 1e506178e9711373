SELECT d.id
FROM new_document n
JOIN {schema}.document d ON d.id = n.id
WHERE (d.abstract IS NULL OR d.overview IS NULL) AND d.content ~ '\S'
