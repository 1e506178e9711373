-- At most $2 chunks, and $3 bytes of text with at least one chunk.
SELECT id, document_id
FROM (
    SELECT u.id, u.document_id, sum(octet_length(u.content)) OVER (ORDER BY u.id) - octet_length(u.content) AS bytes_before
    FROM {schema}.chunk u
    JOIN {schema}.document d ON d.id = u.document_id
    CROSS JOIN LATERAL (SELECT kb_rag.text_config(d.language, {text_config}) AS config OFFSET 0) l
    WHERE ($1 IS NULL OR u.id > $1) AND u.text_config IS DISTINCT FROM {analyzer}
    ORDER BY u.id
    LIMIT $2
) n
WHERE bytes_before < $3
ORDER BY id
