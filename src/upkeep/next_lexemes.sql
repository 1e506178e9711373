SELECT u.id, d.id
FROM {schema}.chunk u
JOIN {schema}.document d ON d.id = u.document_id
CROSS JOIN LATERAL (SELECT kb_rag.text_config(d.language, {text_config}) AS config OFFSET 0) l
WHERE ($1 IS NULL OR u.id > $1) AND u.text_config IS DISTINCT FROM {analyzer}
ORDER BY u.id
LIMIT $2
