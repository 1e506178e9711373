EXISTS (SELECT FROM {schema}.document d WHERE d.id = c.document_id)
