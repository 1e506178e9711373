pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
        'title', d.title,
        'source_url', CASE WHEN d.source_key ~ '^https?://' THEN d.source_key END,
        -- The key of a row of an attached table is not a path; the document's metadata has it.
        'filePath', CASE WHEN d.source_key !~ '^https?://' AND (
            SELECT s.id FROM {schema}.source s WHERE s.id = d.source_id AND s.kind = 'table' LIMIT 1
        ) IS NULL THEN d.source_key END,
        'chunkIndex', u.ordinal,
        'language', d.language,
        'page', u.page,
        'heading', u.heading
    )) || d.metadata
