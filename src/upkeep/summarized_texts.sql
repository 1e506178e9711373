SELECT d.title, left(d.content, $1)
FROM {schema}.document d
WHERE (d.abstract IS NULL OR d.overview IS NULL) AND d.content ~ '\S'
