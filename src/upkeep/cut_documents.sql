SELECT d.id, octet_length(d.content) AS content FROM {schema}.document d WHERE {condition}
