INSERT INTO {schema}.document AS d (source_type, source_key, title, content, mime_type, metadata, language)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT {key}
-- Without a new language the document keeps its own.
DO UPDATE SET title = excluded.title, content = excluded.content, mime_type = excluded.mime_type,
    metadata = excluded.metadata, language = coalesce(excluded.language, d.language)
{guard}
RETURNING d.id
