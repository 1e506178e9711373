SELECT c.id, sha256(convert_to(coalesce({context} || E'\n', '') || coalesce(c.content, ''), 'UTF8'))
FROM {schema}.chunk c
WHERE c.id = ANY ($1)
