CREATE INDEX embedding_hnsw ON {schema}.embedding USING hnsw (embedding {vector}.{operator_class})
