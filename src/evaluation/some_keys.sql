SELECT d.source_key
FROM (SELECT source_key FROM {schema}.document LIMIT $1) d
WHERE octet_length(d.source_key) <= 200
