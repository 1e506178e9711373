INSERT INTO {schema}.document AS d (source_id, source_type, source_key, title, content, metadata, mime_type, language)
SELECT $1, $2, u.source_key, u.title, u.content, u.metadata::jsonb, u.mime_type, u.language
FROM unnest($3, $4, $5, $6, $7, $8) AS u (source_key, title, content, metadata, mime_type, language)
ON CONFLICT {key}
DO UPDATE SET title = excluded.title, content = excluded.content, metadata = excluded.metadata,
    mime_type = CASE WHEN $9 THEN excluded.mime_type ELSE d.mime_type END,
    language = CASE WHEN $10 THEN excluded.language ELSE d.language END,
    imported = d.imported AND NOT $11
WHERE (d.title, d.content, d.metadata) IS DISTINCT FROM (excluded.title, excluded.content, excluded.metadata)
    OR $9 AND d.mime_type IS DISTINCT FROM excluded.mime_type OR $10 AND d.language IS DISTINCT FROM excluded.language
    OR $11 AND d.imported
