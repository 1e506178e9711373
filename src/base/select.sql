-- A schema counts as the base's only while its document table carries the trigger with the base's id: a schema of the
-- same name that somebody made after a DROP SCHEMA is not it.
SELECT k.id, k.name, k.schema, k.description, k.owner, k.model, k.dimensions,
    k.chunk_size, k.chunk_overlap, k.chunk_unit, k.chunk_strategy, k.text_config, k.ranker, k.index_method, k.embed,
    k.created_at, n.oid, {sound}, k.model_variants
FROM kb_rag.knowledge_base k
LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = k.schema::name AND EXISTS (
    SELECT FROM pg_catalog.pg_class d
    JOIN pg_catalog.pg_trigger t ON t.tgrelid = d.oid
    WHERE d.relnamespace = n.oid AND d.relname = 'document'
        AND t.tgfoid = 'kb_rag.document_inserted'::regproc
        AND t.tgargs = pg_catalog.convert_to(k.id::text, 'UTF8') || '\x00'::bytea
)
WHERE {condition}
ORDER BY k.name
