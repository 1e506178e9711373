SELECT tgrelid
FROM pg_trigger
WHERE tgfoid = 'kb_rag.attached_changed()'::regprocedure AND tgparentid = 0 AND tgtype & 4 <> 0
    AND tgargs = convert_to($1, 'UTF8') || '\x00'::bytea || convert_to($2, 'UTF8') || '\x00'::bytea
ORDER BY oid
