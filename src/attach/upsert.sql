INSERT INTO {schema}.document AS d (source_id, source_type, source_key, title, content, metadata)
SELECT $1, $2, u.source_key, u.title, u.content, u.metadata::jsonb
FROM unnest($3, $4, $5, $6) AS u (source_key, title, content, metadata)
ON CONFLICT (source_id, source_type, source_key) WHERE source_key IS NOT NULL
DO UPDATE SET title = excluded.title, content = excluded.content, metadata = excluded.metadata
WHERE (d.title, d.content, d.metadata) IS DISTINCT FROM (excluded.title, excluded.content, excluded.metadata)
