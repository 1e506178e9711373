SELECT c.id FROM {schema}.chunk c WHERE c.id = ANY ($1) AND {conditions}
