SELECT pg_try_advisory_xact_lock(hashtextextended('kb_rag terms of ' || {schema_name}, 0))
