SELECT count(*) FROM {schema}.document d WHERE {read_before}
