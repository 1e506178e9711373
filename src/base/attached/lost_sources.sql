-- The sources of base $1 that table $2 has triggers of, and that the catalog does not know.
SELECT s.id::uuid
FROM (
    SELECT DISTINCT convert_from(substring(t.tgargs FROM length($1) + 2 FOR 36), 'UTF8') AS id
    FROM pg_trigger t
    WHERE t.tgrelid = $2 AND t.tgfoid = 'kb_rag.attached_changed()'::regprocedure
        AND substring(t.tgargs FOR length($1) + 1) = convert_to($1, 'UTF8') || '\x00'::bytea
) s
WHERE NOT EXISTS (SELECT FROM kb_rag.attached_table a WHERE a.source_id::text = s.id)
ORDER BY s.id
