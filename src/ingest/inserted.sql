SELECT d.id, pg_catalog.octet_length(d.content) AS content
FROM new_document n
JOIN {schema}.document d ON d.id = n.id
