SELECT d.id
FROM {schema}.document d
WHERE (d.abstract IS NULL OR d.overview IS NULL) AND d.content ~ '\S'
ORDER BY d.id
