DELETE FROM {schema}.{table} WHERE chunk_id = ANY ($1)
