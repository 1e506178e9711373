SELECT id, octet_length(content) FROM {schema}.document
