-- The table $1 and its partitions, those without a trigger for TRUNCATE: PostgreSQL clones only those for rows.
SELECT format('%I.%I', n.nspname, c.relname)
FROM (SELECT $1 AS relation UNION SELECT relid FROM pg_partition_tree($1::regclass)) p
JOIN pg_class c ON c.oid = p.relation AND c.relkind IN ('r', 'p')
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE NOT EXISTS (
    SELECT FROM pg_trigger t
    WHERE t.tgrelid = p.relation AND t.tgfoid = 'kb_rag.attached_changed()'::regprocedure AND t.tgtype & 32 <> 0
        AND t.tgargs = convert_to($2, 'UTF8') || '\x00'::bytea || convert_to($3, 'UTF8') || '\x00'::bytea
)
ORDER BY 1
