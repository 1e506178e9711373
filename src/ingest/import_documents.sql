INSERT INTO {schema}.document (
    id, source_type, source_key, title, content, language, metadata, abstract, overview, created_at, content_hash, status,
    imported, indexed_at
)
SELECT u.id, u.source_type, u.source_key, u.title, u.content, u.language, coalesce(u.metadata::jsonb, '{}'), u.abstract,
    u.overview, coalesce(u.created_at, now()), sha256(convert_to(u.content, 'UTF8')), 'indexed', true, now()
FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
    AS u (id, source_key, source_type, title, content, language, metadata, abstract, overview, created_at)
