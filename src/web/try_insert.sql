-- No page has such a key: a document of the same key may exist.
INSERT INTO {schema}.document (source_type, source_key, title, content, metadata) VALUES ($1, $2 || '#' || gen_random_uuid(), $3, '', $4 || $5)
