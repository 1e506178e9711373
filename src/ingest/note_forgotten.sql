INSERT INTO {schema}.{chunks} (id, document_id, is_stale)
SELECT c.id, c.document_id, true FROM {schema}.chunk c WHERE c.id = ANY ($1)
ON CONFLICT (id) DO UPDATE SET is_stale = true, content_hash = NULL
