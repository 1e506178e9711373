SELECT d.title, left(d.content, $2), d.content_hash
FROM {schema}.document d
LEFT JOIN {schema}.summary s ON s.document_id = d.id
WHERE d.id = $1 AND d.content_hash IS NOT NULL AND d.content ~ '\S'
    AND (
        d.abstract IS NULL OR d.overview IS NULL
        OR s.content_hash <> d.content_hash
            AND (sha256(convert_to(d.abstract, 'UTF8')) = s.abstract_hash OR sha256(convert_to(d.overview, 'UTF8')) = s.overview_hash)
    )
