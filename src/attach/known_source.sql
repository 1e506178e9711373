-- The sources of base $2 whose triggers table $1 has.
SELECT s.source_id
FROM kb_rag.attached_table s
JOIN pg_trigger t ON t.tgrelid = $1 AND t.tgfoid = 'kb_rag.attached_changed()'::regprocedure AND t.tgparentid = 0
    AND t.tgtype & 4 <> 0
    AND t.tgargs = convert_to(s.knowledge_base_id::text, 'UTF8') || '\x00'::bytea || convert_to(s.source_id::text, 'UTF8') || '\x00'::bytea
WHERE s.knowledge_base_id = $2
ORDER BY s.source_id
