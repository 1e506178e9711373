CREATE INDEX {index} ON {schema}.{table} USING hnsw (embedding {vector}.{operator_class})
