SELECT source_key FROM {schema}.document WHERE octet_length(source_key) <= 200 LIMIT $1
