-- The chunks of documents, with the transaction that inserted each.
SELECT id, xmin::text::bigint FROM {schema}.chunk WHERE document_id = ANY ($1)
