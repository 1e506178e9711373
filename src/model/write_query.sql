INSERT INTO kb_rag.query_cache (model, dimensions, input_hash, embedding, created_at) VALUES ($1, $2, $3, $4, clock_timestamp())
ON CONFLICT (model, dimensions, input_hash) DO UPDATE SET embedding = excluded.embedding, created_at = excluded.created_at
