INSERT INTO {schema}.{table} (chunk_id, embedding)
SELECT u.chunk_id, u.embedding FROM unnest($1, $2) AS u (chunk_id, embedding)
