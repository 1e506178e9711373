-- Whether the schema $1 has the triggers of a base that is not in the catalog.
SELECT EXISTS (
    SELECT
    FROM pg_trigger t
    JOIN pg_class c ON c.oid = t.tgrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1::name AND c.relname = 'document' AND t.tgfoid = 'kb_rag.document_inserted()'::regprocedure
        AND NOT EXISTS (
            SELECT FROM kb_rag.knowledge_base k
            WHERE t.tgargs = convert_to(k.id::text, 'UTF8') || '\x00'::bytea
        )
)
