SELECT id FROM {schema}.document
