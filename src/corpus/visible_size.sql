SELECT c.text_config, count(*), sum(c.words)::int8, count(*)
FROM {schema}.chunk c
WHERE EXISTS (SELECT FROM {schema}.document d WHERE d.id = c.document_id)
GROUP BY c.text_config
ORDER BY c.text_config
