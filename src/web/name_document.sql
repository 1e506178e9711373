-- $5 is the name of the file at the old URL, $6 that of the new one.
UPDATE {schema}.document d SET source_key = $3, metadata = n.metadata
FROM (
    SELECT id, metadata - 'other_urls' || $4
        || CASE WHEN metadata->>'filename' = $5 AND $6 IS NOT NULL THEN jsonb_build_object('filename', $6) ELSE '{}' END AS metadata
    FROM {schema}.document WHERE id = $2
) n
WHERE d.id = n.id AND d.source_id = $1 AND (d.source_key, d.metadata) IS DISTINCT FROM ($3, n.metadata)
