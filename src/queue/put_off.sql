UPDATE kb_rag.job SET due_at = clock_timestamp() + make_interval(secs => $2)
WHERE knowledge_base_id = $1 AND worker IS NULL AND NOT failed AND due_at <= clock_timestamp()
