-- The documents of a source, and whether each is as this call would make it from the same file.
SELECT id, source_key, file_hash, file_bytes,
    status <> 'failed' AND metadata @> $2 AND ($3::text IS NULL OR language IS NOT DISTINCT FROM $3) 
        AND ($4::text IS NULL OR source_type = $4) AS current,
    $4::text IS NOT NULL AND source_type <> $4 AS renamed
FROM {schema}.document
WHERE source_id = $1 AND source_key IS NOT NULL
