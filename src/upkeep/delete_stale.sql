-- What could not be cut again stays as it is.
DELETE FROM {schema}.{chunks} n WHERE n.document_id IN (SELECT document_id FROM {schema}.{chunks} WHERE is_stale)
