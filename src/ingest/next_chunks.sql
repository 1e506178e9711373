SELECT document_id, id, content_hash FROM {schema}.{chunks} WHERE document_id = ANY ($1) ORDER BY document_id, ordinal
