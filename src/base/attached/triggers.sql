-- The triggers of base $1, of its source $2 or of all, on attached tables; PostgreSQL drops their clones with them.
SELECT format('%I ON %I.%I', t.tgname, n.nspname, r.relname)
FROM pg_trigger t
JOIN pg_class r ON r.oid = t.tgrelid
JOIN pg_namespace n ON n.oid = r.relnamespace
WHERE t.tgfoid = 'kb_rag.attached_changed()'::regprocedure AND t.tgparentid = 0
    AND ($2 IS NULL OR substring(t.tgargs FROM length($1) + 2) = convert_to($2, 'UTF8') || '\x00'::bytea)
    AND (
        substring(t.tgargs FOR length($1) + 1) = convert_to($1, 'UTF8') || '\x00'::bytea
        -- The source was that of a base that is gone, as where kb_adopt gave it another id.
        OR $2 IS NOT NULL AND NOT EXISTS (
            SELECT FROM kb_rag.knowledge_base k
            WHERE substring(t.tgargs FOR length($1) + 1) = convert_to(k.id::text, 'UTF8') || '\x00'::bytea
        )
    )
ORDER BY r.oid, t.tgname
