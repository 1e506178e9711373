DELETE FROM {schema}.corpus
