SELECT (pg_catalog.to_jsonb(k) - '{slug,schema,owner,created_at,next_model,next_dimensions}'::text[])::text FROM kb_rag.knowledge_base k WHERE id = $1
