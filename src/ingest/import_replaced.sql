DELETE FROM {schema}.document d
USING unnest($1, $2) AS u (source_key, source_type)
WHERE d.source_id IS NULL AND d.source_type = u.source_type AND d.source_key = u.source_key
