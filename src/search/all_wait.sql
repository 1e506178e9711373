SELECT EXISTS (SELECT FROM {schema}.chunk) AND NOT EXISTS (SELECT FROM {schema}.embedding)
