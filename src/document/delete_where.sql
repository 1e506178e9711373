DELETE FROM {schema}.document d WHERE {conditions}
