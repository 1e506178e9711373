SELECT c.keyword_number FROM {schema}.chunk c WHERE {conditions}
