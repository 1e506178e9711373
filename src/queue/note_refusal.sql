WITH earlier AS (DELETE FROM kb_rag.worker_refusal)
INSERT INTO kb_rag.worker_refusal (library_format, refused_at) VALUES ($1, clock_timestamp())
