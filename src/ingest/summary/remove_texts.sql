-- Texts that were made of an earlier content.
UPDATE {schema}.document d
SET abstract = CASE WHEN s.abstract_hash IS NULL THEN d.abstract END, overview = CASE WHEN s.overview_hash IS NULL THEN d.overview END
FROM {touched} n
JOIN {schema}.summary s ON s.document_id = n.id
WHERE d.id = n.id AND s.content_hash IS DISTINCT FROM d.content_hash
    AND (s.abstract_hash IS NOT NULL OR s.overview_hash IS NOT NULL)
