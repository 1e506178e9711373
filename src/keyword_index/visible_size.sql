SELECT c.text_config, count(*), greatest(coalesce(sum(c.length), 0), 0)::int8 AS length
FROM {schema}.chunk c
WHERE EXISTS (SELECT FROM {schema}.document d WHERE d.id = c.document_id) AND c.text_config IS NOT NULL
GROUP BY c.text_config
ORDER BY c.text_config
