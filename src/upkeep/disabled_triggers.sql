SELECT string_agg(tgname, ', ' ORDER BY tgname)
FROM pg_trigger
WHERE tgrelid IN ($1::regclass, $2::regclass) AND tgname ~ '^kb_rag_' AND (tgenabled = 'D' OR tgenabled = 'R' AND tgname <> 'kb_rag_replicated')
