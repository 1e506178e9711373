-- Chunks with the same text may have another place.
UPDATE {schema}.chunk c
SET ordinal = n.ordinal, start_char = n.start_char, end_char = n.end_char, page = n.page, token_count = n.token_count,
    source_type = n.source_type, metadata = n.metadata
FROM {schema}.{chunks} n
WHERE c.id = n.id AND n.document_id = ANY ($1)
    AND (c.ordinal, c.start_char, c.end_char, c.page, c.token_count, c.source_type, c.metadata)
        IS DISTINCT FROM (n.ordinal, n.start_char, n.end_char, n.page, n.token_count, n.source_type, n.metadata)
