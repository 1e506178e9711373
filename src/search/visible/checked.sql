SELECT c.keyword_number, c.id, coalesce(c.length, 0) AS length, c.text_config
FROM {schema}.chunk c
WHERE c.keyword_number = ANY ($1)
    AND EXISTS (SELECT FROM {schema}.document d WHERE d.id = c.document_id)
