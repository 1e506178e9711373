-- Of chunks in another format of lexemes only the text search configuration is compared: a job changes the format.
SELECT DISTINCT d.id
FROM {schema}.chunk u
JOIN {schema}.document d ON d.id = u.document_id
CROSS JOIN LATERAL (SELECT kb_rag.text_config(d.language, {text_config}) AS config OFFSET 0) l
WHERE (u.text_config IN (l.config, l.config || '/2', l.config || '/2f')) IS NOT TRUE
    OR (u.source_type, u.metadata) IS DISTINCT FROM (d.source_type, {metadata})
