SELECT count(*) FROM {schema}.{table}
