SELECT provider, model, knowledge_base_id, kind, extract(epoch FROM until - clock_timestamp())::float8, reason
FROM kb_rag.pause
WHERE until > clock_timestamp()
ORDER BY knowledge_base_id, kind NULLS FIRST, coalesce(provider, model)
