SELECT of_chunks, of_changes FROM {schema}.term LIMIT 1
