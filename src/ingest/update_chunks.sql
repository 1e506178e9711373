UPDATE {schema}.chunk c
SET ordinal = u.ordinal, start_char = u.start_char, end_char = u.end_char, page = u.page,
    source_type = d.source_type, metadata = u.metadata
FROM (
    SELECT u.id, u.document_id, u.ordinal, u.start_char, u.end_char, u.page, {metadata} AS metadata
    FROM unnest($1, $2, $3, $4, $5, $6, $7) AS u (id, document_id, ordinal, start_char, end_char, page, heading)
    JOIN {schema}.document d ON d.id = u.document_id
) u
JOIN {schema}.document d ON d.id = u.document_id
WHERE c.id = u.id
    AND (c.ordinal, c.start_char, c.end_char, c.page, c.source_type, c.metadata)
        IS DISTINCT FROM (u.ordinal, u.start_char, u.end_char, u.page, d.source_type, u.metadata)
