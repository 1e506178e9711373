-- The tables and partitions with triggers of base $1, of its source $2 or of all: the attached tables first, each before its
-- partitions.
SELECT t.tgrelid
FROM pg_trigger t
WHERE t.tgfoid = 'kb_rag.attached_changed()'::regprocedure
    AND substring(t.tgargs FOR length($1) + 1) = convert_to($1, 'UTF8') || '\x00'::bytea
    AND ($2 IS NULL OR substring(t.tgargs FROM length($1) + 2) = convert_to($2, 'UTF8') || '\x00'::bytea)
GROUP BY t.tgrelid
ORDER BY bool_or(t.tgparentid = 0 AND t.tgtype & 4 <> 0) DESC, t.tgrelid
