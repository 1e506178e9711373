DROP TABLE {schema}.{table} RESTRICT
