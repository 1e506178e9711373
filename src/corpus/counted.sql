SELECT coalesce(of_chunks, 0) AS of_chunks, coalesce(of_changes, 0) AS of_changes FROM {schema}.term LIMIT 1
