-- A text that is not the made one is a user's.
UPDATE {schema}.summary s
SET abstract_hash = CASE WHEN m.is_abstract THEN s.abstract_hash END, overview_hash = CASE WHEN m.is_overview THEN s.overview_hash END
FROM (
    SELECT t.document_id, sha256(convert_to(d.abstract, 'UTF8')) IS NOT DISTINCT FROM t.abstract_hash AS is_abstract,
        sha256(convert_to(d.overview, 'UTF8')) IS NOT DISTINCT FROM t.overview_hash AS is_overview
    FROM {touched} n
    JOIN {schema}.summary t ON t.document_id = n.id
    JOIN {schema}.document d ON d.id = n.id
) m
WHERE s.document_id = m.document_id
    AND (NOT m.is_abstract AND s.abstract_hash IS NOT NULL OR NOT m.is_overview AND s.overview_hash IS NOT NULL)
