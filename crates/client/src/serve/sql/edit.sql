-- Changes a document, unless a source would undo it or somebody else was faster. The row is locked before it is looked at, so that
-- of two changes at the same time the second one sees the first. An empty text stands for none.
WITH found AS MATERIALIZED (
    SELECT d.id, d.source_id, d.updated_at
    FROM {schema}.document d
    WHERE d.id = $1::pg_catalog.uuid
    FOR NO KEY UPDATE
), judged AS MATERIALIZED (
    SELECT f.id, f.updated_at, coalesce(s.title, s.location) AS location, s.kind, CASE
        WHEN f.source_id IS NOT NULL AND s.status IS DISTINCT FROM 'detached' THEN 409
        WHEN f.updated_at <> $7::pg_catalog.timestamptz THEN 412
    END AS refusal
    FROM found f
    LEFT JOIN {schema}.source s ON s.id = f.source_id
), changed AS (
    UPDATE {schema}.document d
    SET title = CASE WHEN $2 IS NULL THEN d.title ELSE nullif($2, '') END,
        content = coalesce($3, d.content),
        abstract = CASE WHEN $4 IS NULL THEN d.abstract ELSE nullif($4, '') END,
        overview = CASE WHEN $5 IS NULL THEN d.overview ELSE nullif($5, '') END,
        metadata = coalesce($6::pg_catalog.jsonb, d.metadata)
    FROM judged j
    WHERE d.id = j.id AND j.refusal IS NULL
    RETURNING d.id
)
SELECT CASE j.refusal
        WHEN 409 THEN pg_catalog.json_build_object(
            'error', pg_catalog.format('document "%s" comes from %s', j.id, CASE j.kind
                WHEN 'url' THEN pg_catalog.format('URL "%s"', j.location)
                WHEN 'table' THEN pg_catalog.format('table "%s"', j.location)
                WHEN 'directory' THEN pg_catalog.format('folder "%s"', j.location)
                ELSE CASE WHEN j.kind IS NULL THEN 'a source that row security hides' ELSE 'a source' END END),
            'hint', CASE j.kind
                WHEN 'url' THEN 'Change the page, and fetch the source again.'
                WHEN 'table' THEN 'Change the row of the table.'
                WHEN 'directory' THEN 'Change the file, and load the folder again.'
                ELSE CASE WHEN j.kind IS NULL THEN 'Change it there, or as a role that sees the source.' ELSE 'Change it there.' END END)::pg_catalog.text
        WHEN 412 THEN pg_catalog.json_build_object(
            'error', pg_catalog.format('document "%s" was changed after it was read', j.id),
            'hint', 'Read it again, and send its updated_at in If-Match.')::pg_catalog.text
        ELSE c.id::pg_catalog.text
    END, j.refusal
FROM judged j
LEFT JOIN changed c ON true
