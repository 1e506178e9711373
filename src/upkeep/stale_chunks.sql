SELECT DISTINCT d.id
FROM {schema}.chunk u
JOIN {schema}.document d ON d.id = u.document_id
CROSS JOIN LATERAL (SELECT kb_rag.text_config(d.language, {text_config}) AS name OFFSET 0) l
WHERE u.text_config IS DISTINCT FROM l.name OR (u.source_type, u.metadata) IS DISTINCT FROM (d.source_type, {metadata})
