INSERT INTO {schema}.document AS d (
    source_id, source_type, source_key, title, content, mime_type, metadata, language, file_hash, file_bytes
)
VALUES ($1, $2, $3, $4, $5, $6, jsonb_build_object('filename', $12) || $7, coalesce($8, $9), $10, $11)
ON CONFLICT {key}
-- The language of the call, else the one that the document has, else the one that the file declares.
DO UPDATE SET title = excluded.title, content = excluded.content, mime_type = excluded.mime_type, metadata = excluded.metadata,
    language = coalesce($8, d.language, $9), file_hash = excluded.file_hash, file_bytes = excluded.file_bytes
RETURNING d.id
