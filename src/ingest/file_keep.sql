-- Without a new title or language the document keeps its own.
UPDATE {schema}.document d
SET title = n.title, metadata = n.metadata, language = n.language
FROM (
    SELECT o.id, coalesce($2, o.title) AS title, jsonb_build_object('filename', $5) || $3 AS metadata, coalesce($4, o.language) AS language
    FROM {schema}.document o
    WHERE o.id = $1
) n
WHERE d.id = n.id AND (d.title, d.metadata, d.language) IS DISTINCT FROM (n.title, n.metadata, n.language)
