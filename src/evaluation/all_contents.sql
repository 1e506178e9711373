SELECT content FROM {schema}.document
