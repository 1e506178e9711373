SELECT DISTINCT n.document_id FROM {schema}.{chunks} n JOIN {schema}.chunk c ON c.id = n.id
