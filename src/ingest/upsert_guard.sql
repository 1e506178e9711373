WHERE (d.title, d.content, d.mime_type, d.metadata, d.language) IS DISTINCT FROM
    (excluded.title, excluded.content, excluded.mime_type, excluded.metadata, coalesce(excluded.language, d.language))
