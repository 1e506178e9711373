SELECT c.document_id FROM {schema}.chunk c WHERE c.document_id = $1 AND {conditions} LIMIT 1
