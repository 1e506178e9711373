-- Those of the keys $3 whose document another transaction has locked; the documents of all others are locked here.
WITH locked AS MATERIALIZED (
    SELECT id FROM {schema}.document
    WHERE source_id = $1 AND source_type = $2 AND source_key = ANY ($3)
    ORDER BY source_key COLLATE "C"
    FOR UPDATE SKIP LOCKED
)
SELECT d.source_key
FROM {schema}.document d
LEFT JOIN locked l ON l.id = d.id
WHERE d.source_id = $1 AND d.source_type = $2 AND d.source_key = ANY ($3) AND l.id IS NULL
