SELECT id, octet_length(content) AS content FROM {schema}.document
