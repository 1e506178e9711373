SELECT q.embedding, extract(epoch FROM clock_timestamp() - q.created_at)::float8
FROM kb_rag.query_cache q
WHERE q.model = $1 AND q.dimensions = $2 AND q.input_hash = $3 AND q.created_at > clock_timestamp() - make_interval(secs => $4)
