INSERT INTO kb_rag.job (knowledge_base_id, kind, target, generation, due_at)
SELECT $1, $2, t, $4, now() + make_interval(secs => $5) FROM unnest($3) t
