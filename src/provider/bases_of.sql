-- The bases with a model of a provider, and the owners of the bases, which get their texts: the owner of the base's tables,
-- or its creator if it has no tables.
SELECT DISTINCT k.name, coalesce(pg_get_userbyid(d.relowner)::text, k.owner)
FROM kb_rag.knowledge_base k
LEFT JOIN (
    pg_trigger t
    JOIN pg_class d ON d.oid = t.tgrelid AND d.relname = 'document'
) ON t.tgfoid = 'kb_rag.document_inserted()'::regprocedure AND t.tgargs = convert_to(k.id::text, 'UTF8') || '\x00'::bytea
WHERE $1 IN (split_part(k.model, '/', 1), split_part(k.next_model, '/', 1))
ORDER BY 1, 2
