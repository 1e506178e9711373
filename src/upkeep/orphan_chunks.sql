DELETE FROM {schema}.chunk c WHERE NOT EXISTS (SELECT FROM {schema}.document d WHERE d.id = c.document_id)
