SELECT coalesce(pg_catalog.json_agg(u ORDER BY u.day DESC, u.knowledge_base, u.model), '[]')::pg_catalog.text
FROM (
    SELECT u.day, u.knowledge_base, u.model, u.calls, u.errors, u.items, u.tokens, u.output_tokens, u.cost
    FROM kb_rag.usage_daily u
    WHERE u.day > (pg_catalog.now() AT TIME ZONE 'UTC')::pg_catalog.date - $1::pg_catalog.int4
) u
