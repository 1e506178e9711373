-- Those of the documents $3 that exist, and whether each is locked here; documents with a key are locked in key order.
WITH locked AS MATERIALIZED (
    SELECT id FROM {schema}.document
    WHERE source_id = $1 AND id = ANY ($3)
    ORDER BY (CASE WHEN source_type = $2 THEN source_key END) COLLATE "C"
    FOR UPDATE {wait}
)
SELECT d.id, l.id IS NOT NULL
FROM {schema}.document d
LEFT JOIN locked l ON l.id = d.id
WHERE d.source_id = $1 AND d.id = ANY ($3)
