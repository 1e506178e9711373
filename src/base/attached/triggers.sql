-- The triggers of base $1, of its source $2 or of all, on attached tables; PostgreSQL drops their clones with them.
SELECT format('%I ON %I.%I', t.tgname, n.nspname, r.relname)
FROM pg_trigger t
JOIN pg_class r ON r.oid = t.tgrelid
JOIN pg_namespace n ON n.oid = r.relnamespace
WHERE t.tgfoid = 'kb_rag.attached_changed()'::regprocedure AND t.tgparentid = 0
    AND substring(t.tgargs FOR length($1) + 1) = convert_to($1, 'UTF8') || '\x00'::bytea
    AND ($2 IS NULL OR substring(t.tgargs FROM length($1) + 2) = convert_to($2, 'UTF8') || '\x00'::bytea)
ORDER BY r.oid, t.tgname
