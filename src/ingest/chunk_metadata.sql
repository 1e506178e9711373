pg_catalog.jsonb_strip_nulls(pg_catalog.jsonb_build_object(
        {of_document},
        'chunkIndex', u.ordinal,
        'page', u.page,
        'heading', u.heading
    )) || d.metadata
