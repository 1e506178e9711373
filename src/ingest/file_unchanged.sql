-- The document of this source, type and key, if it was read from this file as it would be today.
SELECT d.id
FROM {schema}.document d
WHERE {source} AND d.source_type = $2 AND d.source_key = $3
    AND d.file_hash = $4 AND d.file_bytes = $5 AND d.status <> 'failed'
    AND NOT {read_before} AND NOT {cut_before}
    AND d.metadata ->> 'filename' = (jsonb_build_object('filename', $7) || $6) ->> 'filename'
