UPDATE {schema}.{chunks} SET is_stale = true WHERE document_id = ANY ($1) AND NOT is_stale
