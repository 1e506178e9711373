-- The attached tables of base $1, each with its present table: the one that has its trigger for INSERT.
SELECT s.source_id, s.location, t.relation, s.is_read, s.rows_read, s.rows_in_all,
    (SELECT string_agg(d.tgname, ', ' ORDER BY d.tgname) FROM pg_trigger d
        WHERE d.tgrelid = t.relation AND d.tgfoid = t.function AND d.tgenabled IN ('D', 'R')
            AND d.tgargs = t.arguments),
    EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE format('%I.%I', n.nspname, c.relname) = s.location),
    {row_security}, {seconds}, {options}
FROM kb_rag.attached_table s
LEFT JOIN LATERAL (
    SELECT t.tgrelid AS relation, t.tgfoid AS function, t.tgargs AS arguments
    FROM pg_trigger t
    WHERE t.tgfoid = 'kb_rag.attached_changed()'::regprocedure AND t.tgparentid = 0 AND t.tgtype & 4 <> 0
        AND t.tgargs = convert_to(s.knowledge_base_id::text, 'UTF8') || '\x00'::bytea || convert_to(s.source_id::text, 'UTF8') || '\x00'::bytea
    ORDER BY t.oid
    LIMIT 1
) t ON true
WHERE s.knowledge_base_id = $1
ORDER BY s.location, s.source_id
