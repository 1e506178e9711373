SELECT id, document_id FROM {schema}.chunk WHERE id = ANY ($1) AND document_id IS NOT NULL
