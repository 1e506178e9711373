-- The document, locked, if it is as it was read.
SELECT CASE WHEN d.updated_at = $2::pg_catalog.timestamptz THEN d.id::pg_catalog.text
    ELSE pg_catalog.json_build_object(
        'error', pg_catalog.format('document "%s" was changed after it was read', d.id),
        'hint', 'Read it again, and send its updated_at in If-Match.')::pg_catalog.text
    END, CASE WHEN d.updated_at = $2::pg_catalog.timestamptz THEN NULL::pg_catalog.int4 ELSE 412 END
FROM {schema}.document d
WHERE d.id = $1::pg_catalog.uuid
FOR UPDATE
