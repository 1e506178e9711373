SELECT EXISTS (SELECT FROM {schema}.embedding)
