SELECT id, sign, chunks FROM {schema}.keyword_segment ORDER BY id
