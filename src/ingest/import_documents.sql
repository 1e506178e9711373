INSERT INTO {schema}.document (
    id, source_type, source_key, title, content, language, metadata, content_hash, status, imported, indexed_at
)
SELECT u.id, 'import', u.source_key, u.title, u.content, u.language, coalesce(u.metadata::jsonb, '{}'),
    sha256(convert_to(u.content, 'UTF8')), 'indexed', true, now()
FROM unnest($1, $2, $3, $4, $5, $6) AS u (id, source_key, title, content, language, metadata)
