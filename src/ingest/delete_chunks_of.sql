DELETE FROM {schema}.chunk WHERE document_id = $1
