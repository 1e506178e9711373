pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
        'title', d.title,
        'source_url', CASE WHEN d.source_key ~ '^https?://' THEN d.source_key END,
        'filePath', CASE WHEN d.source_key !~ '^https?://' THEN d.source_key END,
        'chunkIndex', u.ordinal,
        'language', d.language,
        'heading', u.heading
    )) || d.metadata
