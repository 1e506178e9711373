DELETE FROM {schema}.{chunks} WHERE document_id = $1
