DELETE FROM {schema}.chunk c
WHERE c.document_id = ANY ($1) AND NOT EXISTS (SELECT FROM {schema}.{chunks} n WHERE n.id = c.id)
