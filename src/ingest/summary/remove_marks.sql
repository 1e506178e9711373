DELETE FROM {schema}.summary s
USING {touched} n
JOIN {schema}.document d ON d.id = n.id
WHERE s.document_id = d.id
    AND (s.content_hash IS DISTINCT FROM d.content_hash OR s.abstract_hash IS NULL AND s.overview_hash IS NULL)
