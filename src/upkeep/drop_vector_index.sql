DROP INDEX IF EXISTS {schema}.embedding_hnsw
