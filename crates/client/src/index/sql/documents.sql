-- The documents of a source, and whether each is as this call would make it from the same file; whether an earlier version of a
-- reader or of the chunker made it.
SELECT d.id, d.source_key, d.file_hash, d.file_bytes,
    d.status <> 'failed' AND d.metadata @> $2 AND ($3::text IS NULL OR d.language IS NOT DISTINCT FROM $3)
        AND ($4::text IS NULL OR d.source_type = $4) AS current,
    $4::text IS NOT NULL AND d.source_type <> $4 AS renamed,
    {outdated} AS outdated
FROM {schema}.document d
WHERE d.source_id = $1 AND d.source_key IS NOT NULL
