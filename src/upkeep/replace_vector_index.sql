ALTER INDEX {schema}.{table}_hnsw RENAME TO embedding_hnsw
