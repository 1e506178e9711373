-- The bases with a model of a provider, and the owners of the bases, which get their texts: the owner of the base's tables,
-- or its creator if it has no tables. A chat model counts too; the last column is whether the provider embeds the base.
SELECT DISTINCT k.name, coalesce(pg_get_userbyid(d.relowner)::text, k.owner),
    coalesce($1 IN (split_part(k.model, '/', 1), split_part(k.next_model, '/', 1)), false)
FROM kb_rag.knowledge_base k
LEFT JOIN (
    pg_trigger t
    JOIN pg_class d ON d.oid = t.tgrelid AND d.relname = 'document'
) ON t.tgfoid = 'kb_rag.document_inserted()'::regprocedure AND t.tgargs = convert_to(k.id::text, 'UTF8') || '\x00'::bytea
WHERE $1 IN (split_part(k.model, '/', 1), split_part(k.next_model, '/', 1), split_part({summaries}, '/', 1))
ORDER BY 1, 2
