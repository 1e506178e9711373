-- The document of each window, and the context of the chunk with which it begins.
SELECT c.id, d.content, (
        SELECT {context}
        FROM {schema}.chunk c2
        WHERE c2.document_id = c.document_id AND c2.ordinal BETWEEN c.ordinal - $3 AND c.ordinal AND c2.start_char = w.start_char
        ORDER BY c2.ordinal
        LIMIT 1
    )
FROM unnest($1, $2) w (id, start_char)
JOIN {schema}.chunk c ON c.id = w.id
JOIN {schema}.document d ON d.id = c.document_id
