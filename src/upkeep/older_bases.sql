SELECT DISTINCT n.nspname::text
FROM pg_trigger t
JOIN pg_class c ON c.oid = t.tgrelid AND c.relname = 'chunk'
JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE t.tgfoid = 'kb_rag.chunk_counted()'::regprocedure
    AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'keyword_number' AND NOT a.attisdropped)
ORDER BY 1
