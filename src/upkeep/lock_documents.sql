-- Those of the documents $1 that exist, and whether each is locked here.
WITH locked AS MATERIALIZED (
    SELECT id FROM {schema}.document WHERE id = ANY ($1) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
)
SELECT d.id, l.id IS NOT NULL
FROM {schema}.document d
LEFT JOIN locked l ON l.id = d.id
WHERE d.id = ANY ($1)
