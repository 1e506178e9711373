-- Where each chunk stands in its document, and where the last chunk ends.
SELECT c.id, c.document_id, c.start_char, c.end_char, 0, (
        SELECT o.end_char FROM {schema}.chunk o WHERE o.document_id = c.document_id ORDER BY o.ordinal DESC LIMIT 1
    )
FROM {schema}.chunk c
WHERE c.id = ANY ($1)
