SELECT c.tsv
FROM {schema}.chunk c
WHERE EXISTS (SELECT FROM {schema}.document d WHERE d.id = c.document_id)
