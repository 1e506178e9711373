-- The attached table: $1 or the ancestor of this partition whose trigger for INSERT is not a clone.
SELECT t.tgrelid
FROM (SELECT $1 AS relation UNION SELECT relid FROM pg_partition_ancestors($1::regclass)) a
JOIN pg_trigger t ON t.tgrelid = a.relation AND t.tgparentid = 0 AND t.tgtype & 4 <> 0
WHERE t.tgfoid = 'kb_rag.attached_changed()'::regprocedure
    AND t.tgargs = convert_to($2, 'UTF8') || '\x00'::bytea || convert_to($3, 'UTF8') || '\x00'::bytea
