INSERT INTO {schema}.document AS d (
    source_id, source_type, source_key, title, content, mime_type, metadata, language, file_hash, file_bytes
)
VALUES ($1, $2, $3, $4, $5, $6, jsonb_strip_nulls(jsonb_build_object('filename', $12)) || $7 || $8, $9, $10, $11)
ON CONFLICT {key}
DO UPDATE SET title = excluded.title, content = excluded.content, mime_type = excluded.mime_type, metadata = excluded.metadata,
    language = coalesce(d.language, excluded.language), file_hash = excluded.file_hash, file_bytes = excluded.file_bytes
WHERE (d.title, d.content, d.mime_type, d.metadata, d.file_hash)
    IS DISTINCT FROM (excluded.title, excluded.content, excluded.mime_type, excluded.metadata, excluded.file_hash)
    OR {read_before} OR {cut_before}
RETURNING d.id
