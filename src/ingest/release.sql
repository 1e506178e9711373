-- The chunks of documents whose vectors were taken over, and are to be made. The documents are locked in the order of all writers.
WITH taken AS (
    SELECT id FROM {schema}.document
    WHERE source_id = $1 AND source_type = $2 AND source_key = ANY ($3::text[]) AND imported
    ORDER BY source_key COLLATE "C"
    FOR NO KEY UPDATE
)
DELETE FROM {schema}.chunk WHERE document_id IN (SELECT id FROM taken)
