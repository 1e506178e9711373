SELECT id FROM {schema}.document
WHERE source_id = $1 AND id = ANY ($3)
ORDER BY (CASE WHEN source_type = $2 THEN source_key END) COLLATE "C"
FOR UPDATE
