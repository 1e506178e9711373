-- The table $1 and its partitions that have no trigger for TRUNCATE: PostgreSQL clones only row triggers.
WITH RECURSIVE tree (relation) AS (
    SELECT $1
    UNION ALL
    SELECT i.inhrelid FROM tree t JOIN pg_inherits i ON i.inhparent = t.relation
)
SELECT c.oid, format('%I.%I', n.nspname, c.relname)
FROM tree p
JOIN pg_class c ON c.oid = p.relation AND c.relkind IN ('r', 'p')
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE NOT EXISTS (
    SELECT FROM pg_trigger t
    WHERE t.tgrelid = p.relation AND t.tgfoid = 'kb_rag.attached_changed()'::regprocedure AND t.tgtype & 32 <> 0
        AND t.tgargs = convert_to($2, 'UTF8') || '\x00'::bytea || convert_to($3, 'UTF8') || '\x00'::bytea
)
ORDER BY c.oid
