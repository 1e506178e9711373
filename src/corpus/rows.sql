SELECT count(*) FROM {schema}.corpus
